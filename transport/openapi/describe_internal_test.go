package openapi

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/upstream"
)

// everything is a document with an operation that has each part that an operation can have.
const everything = `{"openapi": "3.1.0", "info": {"title": "T", "version": "1", "description": "D"}, "servers": [{"url": "https://api.example/v1"}],
"paths": {"/a/{id}": {"servers": [{"url": "https://other.example"}],
	"get": {"operationId": "get", "tags": ["t"], "parameters": [
		{"name": "id", "in": "path", "style": "matrix", "explode": true, "schema": {"default": 7}},
		{"name": "q", "in": "query", "allowReserved": true, "content": {"application/json": {"schema": {}}}}],
		"responses": {"200": {"headers": {"Link": {}, "ETag": {}}, "content": {"text/csv": {}, "application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/S"}}}}}}},
	"post": {"requestBody": {"required": true, "content": {"multipart/form-data": {"schema": {"type": "object", "required": ["f"],
		"properties": {"f": {"type": "string", "format": "binary"}, "m": {"type": "array", "items": {"type": "integer"}}}},
		"encoding": {"m": {"style": "pipeDelimited", "explode": false, "contentType": "text/csv"}}}}}, "responses": {"204": {}}},
	"put": {"requestBody": {"content": {"application/octet-stream": {}}}}}},
"components": {"schemas": {"S": {"properties": {"next": {"$ref": "#/components/schemas/S"}}}}}}`

// TestDescribe checks that a document stays the same when another process converts it.
func TestDescribe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(file, []byte(everything), 0o600); err != nil {
		t.Fatal(err)
	}
	s := Settings{Spec: file}
	l := newLibrary(t.Context(), nil, files.Folder{}, file)
	want, wantAbout, err := read(l, []byte(everything), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, gotAbout, err := Dialer{}.describe(t.Context(), l, []byte(everything), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || len(got) != 3 {
		t.Errorf("%d operations (-direct +converted):\n%s", len(got), diff)
	}
	if diff := cmp.Diff(wantAbout, gotAbout); diff != "" {
		t.Errorf("about (-direct +converted):\n%s", diff)
	}
}

// TestOtherFiles checks which other files a conversion may request from the gateway.
func TestOtherFiles(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"api/openapi.json": "{}", "api/other.json": "other", "secret": "secret"} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	need := newLibrary(t.Context(), nil, files.Folder{}, filepath.Join(folder, "api/openapi.json")).refersTo()
	if text, err := need(filepath.Join(folder, "api/other.json")); err != nil || string(text) != "other" {
		t.Errorf("%q, %v", text, err)
	}
	for _, at := range []string{filepath.Join(folder, "secret"), filepath.Join(folder, "api/../secret"), "/etc/passwd", "http://127.0.0.1/x"} {
		if text, err := need(at); err == nil {
			t.Errorf("%s: %q", at, text)
		}
	}
	remote := newLibrary(t.Context(), nil, files.Folder{}, "https://api.example/openapi.json").refersTo()
	for _, at := range []string{"/etc/passwd", "http://api.example/x", "https://api.example:444/x", "https://other.example/x", "file:///etc/passwd"} {
		if text, err := remote(at); err == nil {
			t.Errorf("%s: %q", at, text)
		}
	}
	for range maxFiles {
		_, _ = need(filepath.Join(folder, "none")) // a missing file counts, too
	}
	if _, err := need(filepath.Join(folder, "api/other.json")); err == nil {
		t.Error("a document may refer to any number of files")
	}
}

// FuzzDocument converts documents in JSON and YAML, and checks that the result can be unpacked and
// that its schemas are valid JSON.
func FuzzDocument(f *testing.F) {
	f.Add([]byte(everything))
	f.Add([]byte("openapi: 3.0.0\npaths: &p {/a: {get: {parameters: [{name: x, in: query}]}}}\nx: {<<: *p}\n"))
	f.Add([]byte(`{"openapi": "3.0", "paths": {"/a": {"$ref": "b.json#/x"}, "/b": {"get": {"requestBody": {"$ref": "#/paths/~1b"}}}}}`))
	f.Fuzz(func(t *testing.T, document []byte) {
		if len(document) > 64<<10 {
			t.Skip("time grows with the length")
		}
		input, err := upstream.Pack(documentInput{Spec: "/api/openapi.json", BaseURL: "https://api.example"}, document)
		if err != nil {
			t.Fatal(err)
		}
		need := func(string) ([]byte, error) { return document, nil }
		packed, err := convertDocument(slices.Concat(input...), need)
		if err != nil {
			return
		}
		var out documentOutput
		schemas, err := upstream.Unpack(slices.Concat(packed...), &out)
		if err != nil || len(schemas) != 2*len(out.Operations) {
			t.Fatalf("%d schemas of %d operations, %v", len(schemas), len(out.Operations), err)
		}
		for _, schema := range schemas {
			if schema != nil && !json.Valid(schema) {
				t.Errorf("a schema is no JSON: %.300q", schema)
			}
		}
	})
}
