package rawjson_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/toolscript/toolscript/internal/rawjson"
)

func TestBlank(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"{}", "{}"},
		{"\ufeff{}", "   {}"},
		{"{ // a\n \"a\": 1, }", "{     \n \"a\": 1  }"},
		{`{"a": "// no /* comment */,]", /* , */ "b": [1,2,],}`, `{"a": "// no /* comment */,]",         "b": [1,2 ] }`},
		{"[1, // a\r\n]", "[1      \r\n]"},
		{`{"a": "\"//"}`, `{"a": "\"//"}`},
		{"[1,,]", "[1,,]"}, // not valid JSON: unchanged
		{"[,]", "[,]"},
		{"{\"a\":,}", "{\"a\":,}"},
		{"{} /* without an end", "{} /* without an end"},
		{"{} // at the end", "{}              "},
		{"{\"a\": 1 /* \ufeff */}", "{\"a\": 1          }"},
	} {
		if got := rawjson.WithoutComments([]byte(test.text)); string(got.Plain) != test.want {
			t.Errorf("%q becomes\n%q, want\n%q", test.text, got.Plain, test.want)
		}
	}
}

// FuzzBlank: the text that is kept stays at its place, valid JSON stays as it is, and a second
// pass changes nothing.
func FuzzBlank(f *testing.F) {
	for _, text := range []string{"{}", "\ufeff{ // a\n}", `["\\", 1,/**/]`, "/*", "//", `"`, "{\"a\":1,}\r\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		got := rawjson.WithoutComments(text)
		if !bytes.Equal(text, before) || len(got.Plain) != len(text) {
			t.Fatalf("%q was changed to %q", before, got.Plain)
		}
		for at, c := range got.Plain {
			if c != ' ' && c != text[at] || c == ' ' && (text[at] == '\n' || text[at] == '\r') {
				t.Fatalf("%q becomes %q", text, got.Plain)
			}
		}
		if again := rawjson.WithoutComments(got.Plain); !bytes.Equal(again.Plain, got.Plain) {
			t.Errorf("%q becomes %q, and that %q", text, got.Plain, again.Plain)
		}
		var want, read any
		if json.Unmarshal(text, &want) == nil && (json.Unmarshal(got.Plain, &read) != nil || !reflect.DeepEqual(want, read)) {
			t.Errorf("%q is JSON, and becomes %q", text, got.Plain)
		}
	})
}
