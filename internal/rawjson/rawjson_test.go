package rawjson_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/internal/rawjson"
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
		var parts []string
		if err := rawjson.Read(text, func(*rawjson.Reader) {}); (err == nil) != valid {
			t.Errorf("Read(%q) = %v, want valid: %t", text, err, valid)
		}
		if err := rawjson.Read(text, func(r *rawjson.Reader) { parts = walk(r, nil) }); (err == nil) != valid {
			t.Errorf("Read(%q) = %v, want valid: %t", text, err, valid)
		}
		if !valid {
			if rawjson.Object(text, func(string, json.RawMessage) {}) {
				t.Errorf("Object(%q) = true, but it is not valid", text)
			}
			return
		}
		for _, part := range parts {
			if !json.Valid([]byte(part)) || !bytes.Contains(text, []byte(part)) {
				t.Errorf("%q is no part of %q", part, text)
			}
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
		_ = rawjson.Read(text, func(r *rawjson.Reader) { // the text is valid
			is = r.Array(func() { items = append(items, r.Value()) })
		})
		if want := json.Unmarshal(text, &list) == nil && list != nil; is != want || is && len(list) > 0 && !cmp.Equal(items, list) {
			t.Errorf("%q has the items %q, %t; want %q, %t", text, items, is, list, want)
		}
	})
}

// walk appends the texts of the next value and of all values in it to parts.
func walk(r *rawjson.Reader, parts []string) []string {
	whole := r.Text(func() {
		if !r.Object(func(string) { parts = walk(r, parts) }) {
			r.Array(func() { parts = walk(r, parts) })
		}
	})
	if whole != nil {
		parts = append(parts, string(whole))
	}
	return parts
}

// TestReadSkipsWhatIsNotRead checks that a callback may leave its value unread, and that each value
// is read only once.
func TestReadSkipsWhatIsNotRead(t *testing.T) {
	var got []string
	err := rawjson.Read([]byte(`{"a":{"b":[1,2]},"c":[ 3 , {"d":4} ],"e":5} `), func(r *rawjson.Reader) {
		r.Object(func(name string) {
			if name != "c" {
				return
			}
			got = append(got, string(r.Text(func() {
				r.Array(func() { r.Object(func(string) { got = append(got, string(r.Value())) }) })
			})))
		})
	})
	if want := []string{`4`, `[ 3 , {"d":4} ]`}; err != nil || !cmp.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}
