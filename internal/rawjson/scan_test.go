package rawjson_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/internal/rawjson"
)

// FuzzScan checks that a scanner accepts the same texts as encoding/json, and that
// skipping a value ends at the same place as reading it.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		`{"a": [1, -2.5e3, "x", true, false, null, {}], "a": {"": [[]]}}`, ` "\"\\\u00e9\ud83d\ude00\n" `, "\"a\xffb\"", `1`, `[1,]`, `{"a"}`,
		`"\ud800"`, `{"]}": "[{", "b": "\\"}`, ``, `nul`, "[1 ,\n2\t]", `1 2`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var want any
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		err := decoder.Decode(&want)
		s, refused := rawjson.NewScanner(data)
		if !json.Valid(data) {
			if refused == nil {
				t.Fatalf("%q is no JSON, and was accepted", data)
			}
			return
		}
		if err != nil || refused != nil {
			t.Fatalf("%q is refused: %v, %v", data, err, refused)
		}
		if diff := cmp.Diff(want, s.Value()); diff != "" {
			t.Errorf("%q: -want +got\n%s", data, diff)
		}
		pair, err := rawjson.NewScanner(append(append([]byte{'['}, data...), ",7]"...))
		if err != nil {
			t.Fatal(err)
		}
		pair.Bracket()
		if text := pair.Raw(); text != string(bytes.TrimSpace(data)) {
			t.Errorf("Raw of %q = %q", data, text)
		}
		if next := pair.Next(); next != '7' {
			t.Errorf("after %q comes %q, want 7", data, next)
		}
	})
}
