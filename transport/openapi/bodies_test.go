package openapi_test

import (
	"strings"
	"testing"

	"github.com/toolscript/toolscript/codegen/validate"
)

// TestSubtypes: a body of a base type takes the members of the children, each with its own value of
// the discriminator.
func TestSubtypes(t *testing.T) {
	const schemas = `"components": {"schemas": {
		"Shape": {"type": "object", "required": ["kind"], "discriminator": {"propertyName": "kind", "mapping": {"circle": "#/components/schemas/Circle", "sq": "Square"}}, "properties": {"kind": {"type": "string"}, "label": {"type": "string"}}},
		"Circle": {"allOf": [{"$ref": "#/components/schemas/Shape"}, {"type": "object", "required": ["radius"], "properties": {"radius": {"type": "number"}}}]},
		"Square": {"allOf": [{"$ref": "#/components/schemas/Shape"}, {"type": "object", "properties": {"side": {"type": "number"}, "inner": {"$ref": "#/components/schemas/Shape"}}}]},
		"Pet": {"type": "object", "discriminator": {"propertyName": "type"}, "properties": {"type": {"type": "string"}}},
		"Cat": {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"properties": {"lives": {"type": "integer"}}}]}}}`
	body := func(schema string) string {
		return `"requestBody": {"required": true, "content": {"application/json": {"schema": ` + schema + `}}}, "responses": {"200": {"description": "d", "content": {"application/json": {"schema": ` + schema + `}}}}`
	}
	s := newScene(t, document("3.0.3", `{
		"/shape": {"post": {"operationId": "shape", `+body(`{"$ref": "#/components/schemas/Shape"}`)+`}},
		"/shapes": {"post": {"operationId": "shapes", `+body(`{"type": "array", "items": {"$ref": "#/components/schemas/Shape"}}`)+`}},
		"/circle": {"post": {"operationId": "circle", `+body(`{"$ref": "#/components/schemas/Circle"}`)+`}},
		"/pet": {"post": {"operationId": "pet", `+body(`{"$ref": "#/components/schemas/Pet"}`)+`}}}`, schemas), ok)
	for _, c := range []struct {
		tool, args string
		fits       bool
	}{
		{"shape", `{"body": {"kind": "circle", "label": "c", "radius": 3}}`, true},
		{"shape", `{"body": {"kind": "sq", "side": 2, "inner": {"kind": "circle", "radius": 1}}}`, true},
		{"shape", `{"body": {"kind": "circle", "label": "c"}}`, false},
		{"shape", `{"body": {"kind": "sq", "side": 2, "inner": {"kind": "circle"}}}`, false},
		{"shape", `{"body": {"kind": "blob"}}`, false},
		{"shapes", `{"body": [{"kind": "circle", "radius": 3}, {"kind": "sq"}]}`, true},
		{"shapes", `{"body": [{"kind": "circle"}]}`, false},
		{"circle", `{"kind": "circle", "radius": 3}`, true},
		{"circle", `{"kind": "circle"}`, false},
		{"pet", `{"body": {"type": "Cat", "lives": 7}}`, true},
		{"pet", `{"body": {"type": "Cat", "lives": "seven"}}`, false},
	} {
		details, err := new(validate.Validator).Check(t.Context(), s.tool(c.tool).InputSchema, []byte(c.args))
		if err != nil || (len(details) == 0) != c.fits {
			t.Errorf("%s %s: %v, %v in %s", c.tool, c.args, details, err, s.tool(c.tool).InputSchema)
		}
	}
	details, err := new(validate.Validator).Check(t.Context(), s.tool("shape").OutputSchema, []byte(`{"kind": "blob"}`))
	if err != nil || len(details) > 0 {
		t.Errorf("an answer with a kind that the document does not know: %v, %v", details, err)
	}
	s.call("shape", `{"body": {"kind": "circle", "radius": 3}}`)
	if got := s.last(); !strings.HasSuffix(got, `{"kind": "circle", "radius": 3}`) {
		t.Errorf("the request is %s", got)
	}
}

// TestFiles: the name and the media type of a file are those of the call, else what is known.
func TestFiles(t *testing.T) {
	const file = `{"type": "string", "format": "binary"}`
	s := newScene(t, document("3.1.0", `{"/up": {"post": {"operationId": "up", "requestBody": {"content": {
		"application/json": {"schema": {"type": "object", "properties": {"address": {"type": "string"}}}},
		"multipart/form-data": {"schema": {"type": "object", "properties": {
			"file": `+file+`, "png": `+file+`, "photo": `+file+`, "maybe": {"anyOf": [`+file+`, {"type": "null"}]},
			"coded": {"type": "string", "contentEncoding": "base64"}, "list": {"type": "array", "items": {"anyOf": [`+file+`, {"type": "null"}]}}}},
			"encoding": {"png": {"contentType": "image/png"}, "photo": {"contentType": "image/png, image/jpeg"}}}}}}}}`), ok)
	for args, want := range map[string]string{
		`{"file": "SUQy"}`: `name="file"; filename="file"|Content-Type: application/octet-stream||ID2`,
		`{"file": "SUQz"}`: `filename="file.mp3"|Content-Type: audio/mpeg||ID3`,
		`{"file": {"data": "SUQz", "name": "talk.txt", "type": "audio/mpeg"}}`:                                                  `name="file"; filename="talk.txt"|Content-Type: audio/mpeg||ID3`,
		`{"file": {"data": "e30=", "name": "a\"b.json"}}`:                                                                       `filename="a\"b.json"|Content-Type: application/json||{}`,
		`{"file": {"data": "SUQz", "type": "audio/mpeg"}}`:                                                                      `filename="file.mp3"|Content-Type: audio/mpeg||`,
		`{"file": {"type": "image", "data": "SUQz", "mimeType": "image/gif", "annotations": {}}}`:                               `filename="file.gif"|Content-Type: image/gif||ID3`,
		`{"file": {"type": "resource", "resource": {"uri": "http://x/y/talk.mp3?a", "blob": "SUQz", "mimeType": "audio/wav"}}}`: `filename="talk.mp3"|Content-Type: audio/wav||ID3`,
		`{"file": {"type": "resource", "resource": {"text": "{}", "mimeType": "application/json"}}}`:                            `filename="file.json"|Content-Type: application/json||{}`,
		`{"png": "SUQz"}`:                                   `filename="png.png"|Content-Type: image/png||`,
		`{"photo": "/9j/4AAQSkZJRgABAQ=="}`:                 `filename="photo.jpg"|Content-Type: image/jpeg||`,
		`{"photo": "SUQy"}`:                                 `filename="photo"|Content-Type: application/octet-stream||ID2`,
		`{"maybe": "SUQy", "file": null}`:                   `name="maybe"; filename="maybe"|Content-Type: application/octet-stream||ID2`,
		`{"coded": "SUQy"}`:                                 `name="coded"; filename="coded"|Content-Type: application/octet-stream||ID2`,
		`{"list": [{"data": "SUQy", "name": "x"}, "SUQy"]}`: `name="list"; filename="x"|`,
	} {
		s.call("up", args)
		if got := strings.ReplaceAll(s.last(), "\r\n", "|"); !strings.Contains(got, want) {
			t.Errorf("%s sends %s, want %s", args, got, want)
		}
	}
	for _, args := range []string{`{"file": {"data": "?"}}`, `{"file": {"data": "SUQy", "type": "a/b\r\nX: y"}}`} {
		if _, err := s.try("up", args); err == nil && !strings.Contains(s.call("up", args), "isError") {
			t.Errorf("%s is sent", args)
		}
	}
}
