package openapi

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/toolscript/toolscript/internal/files"
)

// FuzzText checks that members and items are those that encoding/json finds, for any text.
func FuzzText(f *testing.F) {
	for _, seed := range []string{`{"a": [1, {"b": "}\\\""}], "c": null}`, `[ ]`, `{ }`, `"x"`, `[[],{},"",-1e5,true]`, `{"a":{"a":{}}}`, "{\"\\u00e9\":\"\xff\"}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(text, &object) == nil && object != nil {
			got := index(bytes.TrimSpace(text))
			if len(got) != len(object) {
				t.Fatalf("%q: %d members, want %d", text, len(got), len(object))
			}
			for key, value := range object {
				if !bytes.Equal(got[key], value) {
					t.Errorf("%q: %q is %q, want %q", text, key, got[key], value)
				}
			}
		}
		var list []json.RawMessage
		if json.Unmarshal(text, &list) == nil {
			i := 0
			for item := range items(bytes.TrimSpace(text)) {
				if i >= len(list) || !bytes.Equal(item, list[i]) {
					t.Fatalf("%q: item %d is %q", text, i, item)
				}
				i++
			}
			if i != len(list) {
				t.Errorf("%q: %d items, want %d", text, i, len(list))
			}
		}
		if json.Valid(text) {
			w := &writer{schemas: newSchemas(newLibrary(t.Context(), nil, files.Folder{}, "/x/a.json"), false), at: use{place: place{document: "/x/a.json"}}}
			w.library.read["/x/a.json"] = text
			w.schema(bytes.TrimSpace(text), 0)
			if !json.Valid(w.out.Bytes()) {
				t.Errorf("%q became %q", text, w.out.Bytes())
			}
		}
	})
}

func FuzzYAML(f *testing.F) {
	for _, seed := range []string{"a: 1\nb: [x, 2020-01-01, .inf, ~]", "a: &x {b: *x}", "- |\n  text", "? [a]\n: b", "a: !!binary aGk="} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if out, err := asJSON(text); err == nil && !json.Valid(out) {
			t.Errorf("%q became %q", text, out)
		}
	})
}
