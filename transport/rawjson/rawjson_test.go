package rawjson_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/transport/rawjson"
)

// FuzzParts compares the parts of a value with those that encoding/json finds.
func FuzzParts(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, ` { "a" : 1 , "b\"\\" : [ {"c":"}"} , "]" ] } `, `[1,-2.5e3,true,false,null,"x\\",{"y":[]}]`, `"text"`, `7`, `{"\u0061":"\\\""}`, `[[[]],[ ]]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return
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
