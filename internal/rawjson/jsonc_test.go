package rawjson_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/internal/rawjson"
)

func TestWithoutComments(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"{}", "{}"},
		{"\ufeff{}", "{}"},
		{"{ // a\n \"a\": 1, }", `{"a":1}`},
		{`{"a": "// no /* comment */,]", /* , */ "b": [1,2,],}`, `{"a":"// no /* comment */,]","b":[1,2]}`},
		{"[1, // a\r\n]", "[1]"},
		{`{"a": "\"//"}`, `{"a":"\"//"}`},
		{"{} // at the end", "{}"},
		{"{\"a\": 1 /* \ufeff */}", `{"a":1}`},
		{"[1,,]", ""},
		{"[,]", ""},
		{"{\"a\":,}", ""},
		{"{} /* without an end", ""},
		{" // nothing", ""},
	} {
		got := rawjson.WithoutComments([]byte(test.text))
		if compact, _ := rawjson.Compact(got); string(compact) != test.want {
			t.Errorf("%q becomes %q, want %q", test.text, got, test.want)
		}
	}
}

// TestSyntaxError checks that a SyntaxError has the offset of the first wrong byte.
func TestSyntaxError(t *testing.T) {
	for _, test := range []struct {
		text, message string
		at            int
	}{
		{"[1 2]", "invalid character '2' after array value (expecting ',' or ']')", 3},
		{"{\n// c\n\"a\": \"b\nc\"}", `invalid character '\n' in string literal`, 14},
		{`{"a": tru}`, "invalid character '}' in literal true (expecting 'e')", 9},
		{`{"a`, "unexpected end of JSON input", 3},
		{"[ /* a", "invalid character '/' at start of value", 2},
		{strings.Repeat("[", 1<<20), "exceeded max depth", rawjson.MaxDepth},
		{`/* " */` + strings.Repeat("[ // \"\n", 1<<18), "exceeded max depth", len(`/* " */`) + rawjson.MaxDepth*len("[ // \"\n")},
	} {
		var wrong *rawjson.SyntaxError
		if _, err := rawjson.ParseCommented([]byte(test.text)); !errors.As(err, &wrong) || *wrong != (rawjson.SyntaxError{Offset: test.at, Message: test.message}) {
			t.Errorf("%.20q: %#v, want %q at %d", test.text, wrong, test.message, test.at)
		}
	}
}

// FuzzParseCommented: packing a parsed text gives the same text, JSON keeps its value, and every error has an offset in the text.
func FuzzParseCommented(f *testing.F) {
	for _, text := range []string{"{}", "\ufeff{ // a\n}", `["\\", 1,/**/]`, "/*", "//", `"`, "{\"a\":1,}\r\n", "[1}", "{\"a\" 1}", "nul"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := rawjson.ParseCommented(text)
		var wrong *rawjson.SyntaxError
		switch {
		case errors.As(err, &wrong):
			if wrong.Offset < 0 || wrong.Offset > len(text) || wrong.Message == "" {
				t.Errorf("%q: %+v", text, wrong)
			}
		case v.Value != nil:
			if packed := string(v.Pack()); packed != string(text) {
				t.Errorf("%q becomes %q", text, packed)
			}
		}
		var want, read any
		if json.Unmarshal(text, &want) == nil && (json.Unmarshal(rawjson.WithoutComments(text), &read) != nil || !reflect.DeepEqual(want, read)) {
			t.Errorf("%q is JSON, and becomes %q", text, rawjson.WithoutComments(text))
		}
	})
}
