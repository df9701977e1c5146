package terminal_test

import (
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/terminal"
)

func TestWriteTable(t *testing.T) {
	for text, want := range map[string]string{
		`[{"b":1,"a":"x"},{"a":"y","c":[1,{"d":null}]}]`: "b\ta\tc\n1\tx\t\n\ty\t[1,{\"d\":null}]\n",
		`[1,"a b",null,{"x":true}]`:                      "Value\tx\n1\t\na b\t\n\t\n\ttrue\n",
		`{"items":[{"id":12345678901234567890}]}`:        "id\n12345678901234567890\n",
		`{"sum":3,"list":[1]}`:                           "Member\tValue\nsum\t3\nlist\t[1]\n",
		`{"sum":3}`:                                      "Member\tValue\nsum\t3\n",
		`[]`:                                             "Value\n",
		`{}`:                                             "Member\tValue\n",
		`"one\ntwo\u001b[1m"`:                            "one two\\u{1B}[1m\n",
		`[{"a\tb":"\u001b[2J"}]`:                         "a b\n\\u{1B}[2J\n",
		`null`:                                           "\n",
		`4.50`:                                           "4.50\n",
	} {
		var b strings.Builder
		if err := terminal.WriteValueTable(&b, 0, []byte(text)); err != nil || b.String() != want {
			t.Errorf("%s: %v\n%q, want\n%q", text, err, b.String(), want)
		}
	}
	var b strings.Builder
	if err := terminal.WriteValueTable(&b, 60, []byte(`[{"name":"a","text":"`+strings.Repeat("word ", 40)+`"}]`)); err != nil {
		t.Error(err)
	}
	for line := range strings.Lines(b.String()) {
		if len(line) > 61 {
			t.Errorf("a line of %d columns: %q", len(line)-1, line)
		}
	}
}
