package openapi_test

import (
	"strings"
	"testing"

	"github.com/toolscript/toolscript/codegen/validate"
)

// TestSubtypes: a body of a base type accepts the members of its subtypes, each with its own value of
// the discriminator.
func TestSubtypes(t *testing.T) {
	const schemas = `"components": {"schemas": {
		"Shape": {"type": "object", "required": ["kind"], "discriminator": {"propertyName": "kind", "mapping": {"circle": "#/components/schemas/Circle", "sq": "Square"}}, "properties": {"kind": {"type": "string"}, "label": {"type": "string"}}},
		"Circle": {"allOf": [{"$ref": "#/components/schemas/Shape"}, {"type": "object", "required": ["radius"], "properties": {"radius": {"type": "number"}}}]},
		"Square": {"allOf": [{"$ref": "#/components/schemas/Shape"}, {"type": "object", "properties": {"side": {"type": "number"}, "inner": {"$ref": "#/components/schemas/Shape"}}}]},
		"Pet": {"type": "object", "discriminator": {"propertyName": "type"}, "properties": {"type": {"type": "string"}}},
		"Cat": {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"properties": {"lives": {"type": "integer"}}}]},
		"Lion": {"allOf": [{"$ref": "#/components/schemas/Cat"}, {"required": ["pride"], "properties": {"pride": {"type": "string"}}}]},
		"Cub": {"allOf": [{"$ref": "#/components/schemas/Lion"}, {"$ref": "#/components/schemas/Cat"}, {"properties": {"age": {"type": "integer"}}}]}}}`
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
		{"pet", `{"body": {"type": "Lion", "lives": 7, "pride": "p"}}`, true},
		{"pet", `{"body": {"type": "Lion", "lives": 7}}`, false},
		{"pet", `{"body": {"type": "Lion", "pride": "p", "lives": "seven"}}`, false},
		{"pet", `{"body": {"type": "Cub", "pride": "p", "age": 1}}`, true},
		{"pet", `{"body": {"type": "Cub", "pride": "p", "age": "one"}}`, false},
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

// TestFiles: a call can name a file and its media type; otherwise they are derived from the document or the bytes.
func TestFiles(t *testing.T) {
	const file = `{"type": "string", "format": "binary"}`
	s := newScene(t, document("3.1.0", `{"/up": {"post": {"operationId": "up", "requestBody": {"content": {
		"application/json": {"schema": {"type": "object", "properties": {"address": {"type": "string"}}}},
		"multipart/form-data": {"schema": {"type": "object", "properties": {
			"file": `+file+`, "png": `+file+`, "photo": `+file+`, "maybe": {"anyOf": [`+file+`, {"type": "null"}]},
			"coded": {"type": "string", "contentEncoding": "base64"}, "list": {"type": "array", "items": {"anyOf": [`+file+`, {"type": "null"}]}}}},
			"encoding": {"png": {"contentType": "image/png"}, "photo": {"contentType": "image/png, image/jpeg"}}}}}}}}`), ok)
	for args, want := range map[string]string{
		`{"file": "SUQy"}`:                                 `name="file"; filename="file"|Content-Type: application/octet-stream||ID2`,
		`{"file": "SUQz"}`:                                 `filename="file"|Content-Type: application/octet-stream||ID3`,
		`{"file": "Qk0="}`:                                 `filename="file"|Content-Type: application/octet-stream||BM`,
		`{"file": "AAAAGGZ0eXBtcDQyAAAAAG1wNDI="}`:         `filename="file"|Content-Type: application/octet-stream||`,
		`{"file": "iVBORw0KGgo="}`:                         `filename="file.png"|Content-Type: image/png||`,
		`{"file": "R0lGODlh"}`:                             `filename="file.gif"|Content-Type: image/gif||`,
		`{"file": "UklGRgAAAABXRUJQ"}`:                     `filename="file.webp"|Content-Type: image/webp||`,
		`{"file": "JVBERi0="}`:                             `filename="file.pdf"|Content-Type: application/pdf||`,
		`{"file": "UEsDBA=="}`:                             `filename="file.zip"|Content-Type: application/zip||`,
		`{"file": {"data": "UEsDBA==", "name": "a.docx"}}`: `filename="a.docx"|Content-Type: application/octet-stream||`,
		`{"file": "H4sIAA=="}`:                             `filename="file.gz"|Content-Type: application/gzip||`,
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

// TestFormsOfFiles: a file member is sent as a file in each form of its schema, even in a body that is one argument.
func TestFormsOfFiles(t *testing.T) {
	const file = `{"type": "string", "format": "binary"}`
	for name, c := range map[string]struct {
		version, schema, value, want string
		text                         bool // whether the member is not a file
	}{
		"nullable":           {"3.0.3", `{"type": "string", "format": "binary", "nullable": true}`, `{"data": "SUQy", "name": "n"}`, `filename="n"`, false},
		"null, nullable":     {"3.0.3", `{"type": "string", "format": "binary", "nullable": true}`, `null`, ``, false},
		"type with null":     {"3.1.0", `{"type": ["string", "null"], "format": "binary"}`, `null`, ``, false},
		"allOf":              {"3.0.3", `{"allOf": [{"$ref": "#/components/schemas/File"}], "description": "d"}`, `{"data": "SUQy", "name": "n"}`, `filename="n"`, false},
		"list or null":       {"3.1.0", `{"type": ["array", "null"], "items": ` + file + `}`, `["SUQy", {"data": "SUQy", "name": "n"}]`, `filename="n"`, false},
		"null, list or null": {"3.1.0", `{"type": ["array", "null"], "items": ` + file + `}`, `null`, ``, false},
		"nullable list":      {"3.0.3", `{"type": "array", "nullable": true, "items": {"allOf": [{"$ref": "#/components/schemas/File"}], "nullable": true}}`, `[null, {"data": "SUQy", "name": "n"}]`, `filename="n"`, false},
		"file, list or null": {"3.1.0", `{"anyOf": [` + file + `, {"type": "array", "items": {"$ref": "#/components/schemas/File"}}, {"type": "null"}]}`, `[{"data": "SUQy", "name": "n"}]`, `filename="n"`, false},
		"one of the union":   {"3.1.0", `{"oneOf": [` + file + `, {"type": "array", "items": ` + file + `}]}`, `{"data": "SUQy", "name": "n"}`, `filename="n"`, false},
		"a media type":       {"3.1.0", `{"type": "string", "contentMediaType": "image/png"}`, `{"data": "SUQy", "name": "n"}`, `filename="n"`, false},
		"JSON in base64":     {"3.1.0", `{"type": "string", "contentMediaType": "application/json", "contentEncoding": "base64"}`, `"e30="`, `filename="m"`, false},
		"JSON as a text":     {"3.1.0", `{"type": "string", "contentMediaType": "application/json"}`, `"{}"`, `name="m"||{}`, true},
		"HTML as a text":     {"3.1.0", `{"type": "string", "contentMediaType": "text/html"}`, `"<p>"`, `name="m"||<p>`, true},
	} {
		t.Run(name, func(t *testing.T) {
			op := func(id, parameters, schema string) string {
				return `{"post": {"operationId": "` + id + `", "parameters": [` + parameters + `], "requestBody": {"required": true, "content": {"multipart/form-data": {"schema": ` + schema + `}}}}}`
			}
			object := `{"type": "object", "properties": {"m": ` + c.schema + `, "other": {"type": "object", "properties": {"deep": ` + file + `}}}}`
			paths := map[string][2]string{
				"flat":  {op("flat", "", object), `{"m": ` + c.value + `}`},
				"taken": {op("taken", `{"name": "other", "in": "query", "schema": {"type": "string"}}`, object), `{"body": {"m": ` + c.value + `}}`},
				"union": {op("union", "", `{"oneOf": [`+object+`, {"type": "object", "required": ["x"]}]}`), `{"body": {"m": ` + c.value + `}}`},
			}
			if !c.text {
				paths["named"] = [2]string{op("named", "", `{"type": "object", "properties": {"n": {"type": "string"}}, "additionalProperties": `+c.schema+`}`), `{"body": {"m": ` + c.value + `, "n": "SUQy"}}`}
			}
			var all []string
			for id, p := range paths {
				all = append(all, `"/`+id+`": `+p[0])
			}
			s := newScene(t, document(c.version, `{`+strings.Join(all, ",")+`}`, `"components": {"schemas": {"File": `+file+`}}`), ok)
			for id, p := range paths {
				details, err := new(validate.Validator).Check(t.Context(), s.tool(id).InputSchema, []byte(p[1]))
				if err != nil || len(details) > 0 {
					t.Errorf("%s refuses %s: %v, %v in %s", id, p[1], details, err, s.tool(id).InputSchema)
				}
				answer := s.call(id, p[1])
				got := strings.ReplaceAll(s.last(), "\r\n", "|")
				if !strings.Contains(answer, `"ok":true`) || !strings.Contains(got, c.want) || c.want == "" && strings.Contains(got, `name="m"`) || c.text && strings.Contains(got, "filename") || strings.Count(got, "filename") > 2 {
					t.Errorf("%s: %s sends %s, want %s", id, p[1], got, c.want)
				}
			}
		})
	}
}

// TestRawBodies: an argument for a body of bytes accepts the same values as a file. The media type comes from the
// document or, if that names several, from the bytes. An operation that accepts JSON may also accept bytes.
func TestRawBodies(t *testing.T) {
	const (
		png    = "iVBORw0KGgo="
		binary = `{"schema": {"type": "string", "format": "binary"}}`
		order  = `{"schema": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}}`
	)
	for name, c := range map[string]struct{ content, args, want string }{
		"base64":                   {`{"application/octet-stream": ` + binary + `}`, `{"body": "SUQy"}`, "Content-Type: application/octet-stream ID2"},
		"an object":                {`{"application/octet-stream": ` + binary + `}`, `{"body": {"name": "a.png", "type": "image/png", "data": "SUQy"}}`, "Content-Type: application/octet-stream ID2"},
		"a block":                  {`{"image/*": {}}`, `{"body": {"type": "image", "mimeType": "image/gif", "data": "SUQy"}}`, "Content-Type: image/gif ID2"},
		"the type of the bytes":    {`{"image/*": {}}`, `{"body": "` + png + `"}`, "Content-Type: image/png \x89PNG"},
		"not known":                {`{"image/*": {}}`, `{"body": "SUQy"}`, "Content-Type: application/octet-stream ID2"},
		"one of two":               {`{"image/jpeg": {}, "image/png": {}}`, `{"body": "` + png + `"}`, "Content-Type: image/png \x89PNG"},
		"anything with bytes":      {`{"*/*": ` + binary + `}`, `{"body": "SUQy"}`, "Content-Type: application/octet-stream ID2"},
		"anything without bytes":   {`{"*/*": ` + order + `}`, `{"n": 1}`, `Content-Type: application/json {"n":1}`},
		"JSON, or bytes":           {`{"application/json": ` + order + `, "application/octet-stream": ` + binary + `}`, `{"n": 1}`, `Content-Type: application/json {"n":1}`},
		"bytes, or JSON":           {`{"application/json": ` + order + `, "application/octet-stream": ` + binary + `}`, `{"bytes": "SUQy"}`, "Content-Type: application/octet-stream ID2"},
		"an image, or a form":      {`{"application/x-www-form-urlencoded": ` + order + `, "image/*": ` + binary + `}`, `{"bytes": "` + png + `"}`, "Content-Type: image/png \x89PNG"},
		"an image, or one of JSON": {`{"application/json": {"schema": {"type": "array"}}, "image/*": ` + binary + `}`, `{"bytes": "` + png + `"}`, "Content-Type: image/png \x89PNG"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, document("3.0.3", `{"/a": {"post": {"operationId": "op", "requestBody": {"required": true, "content": `+c.content+`}}}}`), ok)
			for args, fits := range map[string]bool{c.args: true, `{}`: false} {
				details, err := new(validate.Validator).Check(t.Context(), s.tool("op").InputSchema, []byte(args))
				if err != nil || (len(details) == 0) != fits {
					t.Errorf("%s: %v, %v in %s", args, details, err, s.tool("op").InputSchema)
				}
			}
			if s.call("op", c.args); !strings.HasPrefix(s.last(), "POST /v1/a "+c.want) {
				t.Errorf("%s sends %q, want %q", c.args, s.last(), c.want)
			}
		})
	}
	s := newScene(t, document("3.0.3", `{"/pets": {"post": {"operationId": "op", "requestBody": {"content": {"application/json": `+order+`, "application/xml": `+order+`}}}}}`), ok)
	if schema := string(s.tool("op").InputSchema); strings.Contains(schema, "bytes") {
		t.Errorf("XML beside JSON: %s", schema)
	}
}
