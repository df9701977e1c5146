package form_test

import (
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/form"
)

// YAML has the names and the order of the JSON, and no value changes its type.
func TestYAML(t *testing.T) {
	value := struct {
		Z     string         `json:"z"`
		A     []any          `json:"a"`
		Empty []string       `json:"empty"`
		Map   map[string]any `json:"map"`
		Big   uint64         `json:"big"`
		Text  string         `json:"text"`
	}{"off", []any{"1", 1, 1.5, true, "true", nil, "null", "", " x", "a: b", "#c", "\x1b[1m", "<&>"}, []string{}, map[string]any{}, 1<<64 - 1, "one\ntwo\n"}
	const want = `z: "off"
a:
  - "1"
  - 1
  - 1.5
  - true
  - "true"
  - null
  - "null"
  - ""
  - ' x'
  - 'a: b'
  - '#c'
  - "\e[1m"
  - <&>
empty: []
map: {}
big: 18446744073709551615
text: |
  one
  two
`
	var b strings.Builder
	if err := form.WriteYAML(&b, value); err != nil || b.String() != want {
		t.Errorf("%v\n%s", err, b.String())
	}
}
