package rawjson_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/transport/rawjson"
)

// FuzzParts compares the parts of a value with those that encoding/json finds.
func FuzzParts(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, ` { "a" : 1 , "b\"\\" : [ {"c":"}"} , "]" ] } `, `[1,-2.5e3,true,false,null,"x\\",{"y":[]}]`, `"text"`, `7`, `{"\u0061":"\\\""}`, `[[[]],[ ]]`,
		`"\ud83d\ude00 \ud800 \udc00\ud800"`, "\"\xff\xed\xa0\x80\"", "\"\x1f\"", `{"a":1,"a":2}`, `"\x"`, `01`, `1 2`, ``, strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		valid := json.Valid(text)
		if got := rawjson.Valid(text); got != valid {
			t.Errorf("Valid(%q) = %t, want %t", text, got, valid)
		}
		if !valid {
			return
		}
		var literal string
		if bare := bytes.TrimSpace(text); bare[0] == '"' && json.Unmarshal(bare, &literal) == nil {
			if got := string(rawjson.Unquote(bare)); got != literal {
				t.Errorf("Unquote(%q) = %q, want %q", bare, got, literal)
			}
		}
		var object map[string]json.RawMessage
		got := map[string]json.RawMessage{}
		is := rawjson.Object(text, func(name string, value json.RawMessage) { got[name] = value })
		if want := json.Unmarshal(text, &object) == nil && object != nil; is != want || is && !cmp.Equal(got, object) {
			t.Errorf("%q has the members %q, %t; want %q, %t", text, got, is, object, want)
		}
		var list, items []json.RawMessage
		is = rawjson.Array(text, func(value json.RawMessage) { items = append(items, value) })
		if want := json.Unmarshal(text, &list) == nil && list != nil; is != want || is && len(list) > 0 && !cmp.Equal(items, list) {
			t.Errorf("%q has the items %q, %t; want %q, %t", text, items, is, list, want)
		}
	})
}
