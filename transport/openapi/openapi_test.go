package openapi_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/openapi"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestStyles checks the examples of the parameter styles in the specification.
func TestStyles(t *testing.T) {
	const array, object = `["blue","black","br own"]`, `{"R":100,"G":200,"B":150}`
	for _, c := range []struct{ in, style, explode, value, want string }{
		{"path", "", "", `"a b/c?d"`, "/a%20b%2Fc%3Fd"},
		{"path", "simple", "false", array, "/blue,black,br%20own"},
		{"path", "simple", "false", object, "/R,100,G,200,B,150"},
		{"path", "simple", "true", object, "/R=100,G=200,B=150"},
		{"path", "label", "false", array, "/.blue,black,br%20own"},
		{"path", "label", "true", array, "/.blue.black.br%20own"},
		{"path", "matrix", "false", array, "/;x=blue,black,br%20own"},
		{"path", "matrix", "true", array, "/;x=blue;x=black;x=br%20own"},
		{"path", "matrix", "true", object, "/;R=100;G=200;B=150"},
		{"query", "", "", `"a&b=c d"`, "?x=a%26b%3Dc%20d"},
		{"query", "", "", `12345678901234567890`, "?x=12345678901234567890"},
		{"query", "", "", `true`, "?x=true"},
		{"query", "", "", `""`, "?x="},
		{"query", "form", "true", array, "?x=blue&x=black&x=br%20own"},
		{"query", "form", "false", array, "?x=blue,black,br%20own"},
		{"query", "form", "true", object, "?R=100&G=200&B=150"},
		{"query", "form", "false", object, "?x=R,100,G,200,B,150"},
		{"query", "spaceDelimited", "false", array, "?x=blue%20black%20br%20own"},
		{"query", "pipeDelimited", "false", array, "?x=blue%7Cblack%7Cbr%20own"},
		{"query", "deepObject", "true", object, "?x%5BR%5D=100&x%5BG%5D=200&x%5BB%5D=150"},
		{"query", "deepObject", "true", `{"a":{"b":[1]}}`, "?x%5Ba%5D%5Bb%5D%5B0%5D=1"},
		{"query", "", "", `null`, ""},
		{"query", "", "", `[]`, ""},
	} {
		t.Run(strings.Join([]string{c.in, c.style, c.explode, c.value}, " "), func(t *testing.T) {
			path, extra := "/p", ""
			if c.in == "path" {
				path = "/p/{x}"
			}
			if c.style != "" {
				extra = fmt.Sprintf(`, "style": %q, "explode": %s`, c.style, c.explode)
			}
			s := newScene(t, document("3.0.3", `{"`+path+`": {"get": {"operationId": "op", "parameters": [{"name": "x", "in": "`+c.in+`", "required": true, "schema": {}`+extra+`}]}}}`), ok)
			s.call("op", `{"x":`+c.value+`}`)
			if got := s.last(); got != "GET /v1/p"+c.want {
				t.Errorf("got %s, want GET /v1/p%s", got, c.want)
			}
		})
	}
}

func TestParameters(t *testing.T) {
	s := newScene(t, document("3.1.0", `{"/a/{id}": {
		"parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}, {"name": "page", "in": "query", "schema": {"type": "integer"}}],
		"put": {"operationId": "set", "summary": "Sets it.", "description": "All of it.", "parameters": [
				{"name": "page", "in": "query", "required": true, "description": "the page", "schema": {"type": "integer", "maximum": 9}},
				{"name": "X-List", "in": "header", "schema": {"type": "array", "items": {"type": "string"}}},
				{"name": "Authorization", "in": "header", "schema": {"type": "string"}},
				{"name": "c", "in": "cookie", "schema": {"type": "string"}},
				{"name": "filter", "in": "query", "content": {"application/json": {"schema": {"type": "object"}}}},
				{"name": "q", "in": "query", "allowReserved": true, "schema": {"type": "string"}}],
			"requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}}},
		"/b": {"post": {"operationId": "same", "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "array", "items": {"type": "string"}}}}}}},
		"/c/{name}": {"post": {"operationId": "same", "parameters": [{"name": "name", "in": "path", "schema": {"type": "string"}}, {"name": "name", "in": "query", "schema": {"type": "string"}}],
			"requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": {"name_path": {"type": "string"}}}}}}}, "delete": {}}}, "components": {"schemas": {
			"Pet": {"type": "object", "required": ["name", "id_"], "properties": {"name": {"type": "string"}, "id_": {"type": "string", "readOnly": true}, "tag": {"$ref": "#/components/schemas/Tag"}}},
			"Tag": {"type": "object", "properties": {"parent": {"$ref": "#/components/schemas/Tag"}}}}}`), ok)
	set := s.tool("set")
	want := `{"type":"object","properties":{"id":{"type":"string"},"page":{"description":"the page","type":"integer","maximum":9},` +
		`"X-List":{"type":"array","items":{"type":"string"}},"c":{"type":"string"},"filter":{"type":"object"},"q":{"type":"string"},"name":{"type":"string"},"tag":{"$ref":"#/$defs/Tag"}},` +
		`"required":["id","page","name"],"$defs":{"Tag":{"type":"object","properties":{"parent":{"$ref":"#/$defs/Tag"}}}}}`
	if got := string(set.InputSchema); got != want {
		t.Errorf("schema:\n%s\nwant\n%s", got, want)
	}
	if set.Description != "Sets it.\n\nAll of it." || !*set.Annotations.Idempotent || set.Annotations.ReadOnly != nil {
		t.Errorf("%q, %+v", set.Description, set.Annotations)
	}
	s.call("set", `{"id": "1", "page": 2, "X-List": ["a", "b"], "c": "d", "filter": {"a": [1]}, "q": "a/b:c&d", "name": "Rex", "tag": {"parent": {}}}`)
	if got, want := s.last(), `PUT /v1/a/1?page=2&filter=%7B%22a%22%3A%20%5B1%5D%7D&q=a/b:c%26d X-List: a,b Cookie: c=d Content-Type: application/json {"name":"Rex","tag":{"parent": {}}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s.call("same", `{"body": ["x"]}`)
	if got, want := s.last(), `POST /v1/b Content-Type: application/json ["x"]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.call("same_2", `{"name_path": "a", "name_query": "b", "body": {"name_path": "c"}}`)
	if got, want := s.last(), `POST /v1/c/a?name=b Content-Type: application/json {"name_path": "c"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if d := s.tool("delete_c_name").Annotations; !*d.Destructive {
		t.Errorf("%+v", d)
	}
	for bad, why := range map[string]string{`".."`: "would lead to another one", `"."`: "would lead to another one", `""`: "cannot be a part of a path"} {
		if got := s.call("set", `{"id": `+bad+`, "page": 2, "name": "x"}`); !strings.Contains(got, why) {
			t.Errorf("%s: %s", bad, got)
		}
	}
	if got := s.call("set", `{"id": "1", "page": 2, "X-List": ["a\r\nX-Key: b"], "name": "x"}`); !strings.Contains(got, "a header has one line") {
		t.Error(got)
	}
}

// TestPaths: neither a single value nor several values together can make a request go to another path.
func TestPaths(t *testing.T) {
	s := newScene(t, document("3.0.0", `{"/a/{x}{y}/b": {"get": {"operationId": "two", "parameters": [{"name": "x", "in": "path"}, {"name": "y", "in": "path"}]}},
		"/c/{z}/d": {"get": {"operationId": "label", "parameters": [{"name": "z", "in": "path", "style": "label", "explode": true}]}}}`), ok)
	for args, tool := range map[string]string{
		`{"x": ".", "y": "."}`: "two", `{"z": ["", ""]}`: "label", `{"z": "."}`: "label", `{"z": ""}`: "label",
		`{"x": "../../admin", "y": "v"}`: "two", `{"x": "..", "y": "/.."}`: "two", `{"x": "..%2F..%2Fadmin", "y": "v"}`: "two", `{"x": "..%2f..%2fadmin", "y": "v"}`: "two",
		`{"x": "%2e%2e%2fadmin", "y": "v"}`: "two", `{"x": "%252e%252e%252fadmin", "y": "v"}`: "two", `{"x": "a/../..", "y": "/v"}`: "two",
		`{"x": "..\\..\\admin", "y": "v"}`: "two", `{"x": "..%5c..%5cadmin", "y": "v"}`: "two", `{"x": "..;a=b/admin", "y": "v"}`: "two",
		`{"x": "..\u0000/admin", "y": "v"}`: "two", `{"x": "./admin", "y": "v"}`: "two", `{"x": "%zz/..%2f..", "y": "/v"}`: "two",
		`{"x": ".%2", "y": "e/v"}`: "two", `{"z": "./../admin"}`: "label",
		`{"x": "%25252525252525252525252525", "y": "v"}`: "two",
	} {
		if got := s.call(tool, args); !strings.Contains(got, "a part of") || s.last() != "" {
			t.Errorf("%s: %s, %s", args, got, s.last())
		}
	}
	for x, want := range map[string]string{
		`a/b`: "a%2Fb", `..a`: "..a", `v1..v2`: "v1..v2", `100%`: "100%25", `a%2Fb`: "a%252Fb", `...`: "...", `.git/config`: ".git%2Fconfig", `a.`: "a.",
	} {
		s.call("two", `{"x": "`+x+`", "y": "-"}`)
		if got := s.last(); got != "GET /v1/a/"+want+"-/b" {
			t.Errorf("%s: %s", x, got)
		}
	}
}

// TestDefaultInThePath: a parameter with a default may be omitted, even in the path.
func TestDefaultInThePath(t *testing.T) {
	s := newScene(t, document("3.0.0", `{"/a/{x}/{y}": {"get": {"operationId": "get", "parameters": [
		{"name": "x", "in": "path", "required": true, "schema": {"type": "string", "default": "main"}},
		{"name": "y", "in": "path", "required": true, "schema": {"type": "integer", "default": 1}}]}}}`), ok)
	for args, want := range map[string]string{`{}`: "GET /v1/a/main/1", `{"y": 2}`: "GET /v1/a/main/2"} {
		if s.call("get", args); s.last() != want {
			t.Errorf("%s: %s, want %s", args, s.last(), want)
		}
	}
}

// TestMerge: "<<" in YAML merges mappings.
func TestMerge(t *testing.T) {
	s := newScene(t, "openapi: 3.1.0\nbase: &b {operationId: merged, summary: S}\nmore: &m {summary: M, deprecated: true}\npaths:\n  /a:\n    get:\n      <<: [*b, *m]\n      summary: own\n", ok)
	if got := s.tool("merged").Description; got != "Deprecated. own" {
		t.Errorf("description %q", got)
	}
}

// TestSchemas: the extensions of JSON Schema in OpenAPI 3.0 are converted to JSON Schema.
func TestSchemas(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type": "string", "nullable": true}`:                                            `{"type":["string","null"]}`,
		`{"type": "string", "nullable": true, "enum": ["a"]}`:                             `{"type":["string","null"],"enum":["a",null]}`,
		`{"nullable": true, "allOf": [{"type": "object"}]}`:                               `{"anyOf":[{"allOf":[{"type":"object"}]},{"type":"null"}]}`,
		`{"type": "number", "minimum": 1, "exclusiveMinimum": true, "maximum": 5}`:        `{"type":"number","exclusiveMinimum":1,"maximum":5}`,
		`{"type": "object", "example": {"nullable": true}, "x-y": 1, "xml": {}}`:          `{"type":"object"}`,
		`{"type": "object", "properties": {"example": {"type": "string", "example": 1}}}`: `{"type":"object","properties":{"example":{"type":"string"}}}`,
		`{"enum": [{"nullable": true, "x-a": 1}], "default": {"example": 1}}`:             `{"enum":[{"nullable": true, "x-a": 1}],"default":{"example": 1}}`,
		`{"$ref": "#/nowhere"}`: `{"$ref":"#/$defs/nowhere"}`,
		`true`:                  `true`,
	} {
		s := newScene(t, document("3.0.0", `{"/a": {"get": {"operationId": "op", "parameters": [{"name": "x", "in": "query", "schema": `+schema+`}]}}}`), ok)
		got := string(s.tool("op").InputSchema)
		if !strings.Contains(got, `"properties":{"x":`+want+`}`) {
			t.Errorf("%s became %s, want %s", schema, got, want)
		}
	}
}

func TestBodies(t *testing.T) {
	const file = `{"type": "string", "format": "binary"}`
	s := newScene(t, document("3.0.0", `{
		"/form": {"post": {"operationId": "form", "requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": {"type": "object", "properties": {"a": {}, "b": {}, "c": {}}}, "encoding": {"c": {"style": "deepObject"}}}}}}},
		"/parts": {"post": {"operationId": "parts", "requestBody": {"content": {"multipart/form-data": {"schema": {"type": "object", "properties": {"file": `+file+`, "meta": {"type": "object"}, "n": {"type": "integer"}}}}}}}},
		"/files": {"post": {"operationId": "files", "requestBody": {"content": {"multipart/form-data": {"schema": {"allOf": [{"type": "object", "properties": {"all": {"type": "array", "items": `+file+`}}}, {"$ref": "#/x"}, {"required": ["modern"]}]}, "encoding": {"modern": {"contentType": "text/csv"}}}}}}},
		"/bytes": {"put": {"operationId": "bytes", "requestBody": {"content": {"image/png": {"schema": `+file+`}}}}},
		"/text": {"put": {"operationId": "text", "requestBody": {"content": {"text/plain": {"schema": {"type": "string"}}}}}}}`, `"x": {"type": "object", "properties": {"modern": {"type": "string", "contentMediaType": "text/csv", "contentEncoding": "base64"}}}`), ok)
	s.call("form", `{"a": "x y&z", "b": ["1", "2"], "c": {"d": {"e": 1}}}`)
	if got, want := s.last(), `POST /v1/form Content-Type: application/x-www-form-urlencoded a=x%20y%26z&b=1&b=2&c%5Bd%5D%5Be%5D=1`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.call("parts", `{"file": "aGk=", "meta": {"a": 1}, "n": 5}`)
	got := strings.ReplaceAll(s.last(), "\r\n", "|")
	for _, part := range []string{`name="file"; filename="file"|Content-Type: application/octet-stream||hi|`, `name="meta"|Content-Type: application/json||{"a": 1}|`, `name="n"||5|`} {
		if !strings.Contains(got, part) {
			t.Errorf("%s lacks %s", got, part)
		}
	}
	if schema := string(s.tool("files").InputSchema); !strings.Contains(schema, `"required":["modern"]`) || strings.Count(schema, "the bytes of a file") != 2 {
		t.Error(schema)
	}
	s.call("files", `{"all": ["aGk=", "aG8="], "modern": "YSxi"}`)
	got = strings.ReplaceAll(s.last(), "\r\n", "|")
	for _, part := range []string{`name="all"; filename="all"|Content-Type: application/octet-stream||hi|`, `||ho|`, `name="modern"; filename="modern.csv"|Content-Type: text/csv||a,b|`} {
		if !strings.Contains(got, part) {
			t.Errorf("%s lacks %s", got, part)
		}
	}
	s.call("bytes", `{"body": "aGk="}`)
	if got := s.last(); got != "PUT /v1/bytes Content-Type: image/png hi" {
		t.Error(got)
	}
	if got := s.call("bytes", `{"body": "?"}`); !strings.Contains(got, "is not base64") {
		t.Error(got)
	}
	s.call("text", `{"body": "a b"}`)
	if got := s.last(); got != "PUT /v1/text Content-Type: text/plain a b" {
		t.Error(got)
	}
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		status      int
		media, body string
		want        string
	}{
		{200, "application/json", `{"a": [1]}`, `"structuredContent":{"a":[1]}`},
		{201, "application/hal+json; charset=utf-8", `12345678901234567890`, `"structuredContent":12345678901234567890`},
		{200, "application/json", "\ufeff{}", `"structuredContent":{}`},
		{200, "", "\ufeff[1]", `"structuredContent":[1]`},
		{204, "", "", `"structuredContent":null`},
		{200, "text/csv", "a,b\n", `"structuredContent":"a,b\n"`},
		{200, "application/pdf", "%PDF", `"blob":"JVBERg=="`},
		{200, "image/png", "\x89PNG", `"structuredContent":{"data":"iVBORw==","mimeType":"image/png","type":"image"}`},
		{200, "application/json", `{`, "the answer has the content type of JSON but is not JSON"},
		{404, "application/json", `{"message": "no"}`, `"isError":true`},
		{404, "application/json", `{"message": "no"}`, `"_meta":{"toolscript/status":404}`},
		{404, "application/json", `{"message": "no"}`, `GET /a: 404 Not Found: {\"message\": \"no\"}`},
		{500, "text/plain", strings.Repeat("x", 5000), `xxx…`},
		{401, "text/plain", "", `check \"auth\" of the server`},
	} {
		s := newScene(t, document("3.0.0", `{"/a": {"get": {"operationId": "op"}}}`), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.media)
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		})
		if got := strings.ReplaceAll(s.call("op", `{}`), `\\`, `\`); !strings.Contains(got, c.want) {
			t.Errorf("%d %s: %.300s, want %s", c.status, c.media, got, c.want)
		}
	}
}

func TestRetries(t *testing.T) {
	for _, c := range []struct {
		method, after string
		busy          int // number of refusals before the answer
		want          string
		requests      int
	}{
		{"get", "0", 2, `"ok":true`, 3},
		{"get", "0", 3, "429 Too Many Requests", 3},
		{"get", "3600", 1, "429 Too Many Requests", 1},
		{"get", "Thu, 01 Jan 1970 00:00:00 GMT", 1, `"ok":true`, 2},
		{"get", "Fri, 31 Dec 2199 23:59:59 GMT", 1, "429 Too Many Requests", 1},
		{"post", "0", 1, "429 Too Many Requests", 1},
	} {
		left := c.busy
		s := newScene(t, document("3.0.0", `{"/a": {"`+c.method+`": {"operationId": "op"}}}`), func(w http.ResponseWriter, r *http.Request) {
			if left--; left >= 0 {
				w.Header().Set("Retry-After", c.after)
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			ok(w, r)
		})
		got, err := s.try("op", `{}`)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) || len(s.requests) != c.requests {
			t.Errorf("%+v: %s after %d requests", c, got, len(s.requests))
		}
		if c.after == "3600" {
			var busy *toolscript.Error
			if !errors.As(err, &busy) || busy.Kind != toolscript.Busy || busy.RetryAfter != time.Hour {
				t.Errorf("error %#v, want Busy with the time", err)
			}
		}
	}
}

func TestCredentials(t *testing.T) {
	for want, auth := range map[string]upstream.HTTPAuth{
		"GET /v1/a":                           {Type: "none"},
		"GET /v1/a Authorization: Bearer s":   {Type: "bearer", Token: "s"},
		"GET /v1/a X-Key: s":                  {Type: "header", Name: "X-Key", Value: "s"},
		"GET /v1/a?key=s%26":                  {Type: "query", Name: "key", Value: "s&"},
		"GET /v1/a Authorization: Basic dTpw": {Type: "basic", Username: "u", Password: "p"},
	} {
		// The other origin must get no credentials.
		var other []string
		elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			other = append(other, fmt.Sprint(r.URL, r.Header))
			ok(w, r)
		}))
		defer elsewhere.Close()
		s := newScene(t, document("3.0.0", `{"/a": {"get": {"operationId": "op", "parameters": [{"name": "X-List", "in": "header", "schema": {}}]}}}`), func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+"/b", http.StatusFound)
		}, func(o *openapi.Settings) { o.Auth = auth })
		if got := s.call("op", `{}`); !strings.Contains(got, `"ok":true`) {
			t.Error(got)
		}
		if got := s.last(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		s.call("op", `{"X-List": "secret"}`)
		for _, request := range other {
			for _, word := range []string{"Authorization", "X-Key", "key=", "X-List", "Referer"} {
				if strings.Contains(request, word) {
					t.Errorf("%s went to another origin: %s", word, request)
				}
			}
		}
		if len(other) != 2 {
			t.Errorf("%d requests to the other origin", len(other))
		}
	}
}

func TestBodyIsNotRedirected(t *testing.T) {
	reached := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer elsewhere.Close()
	s := newScene(t, document("3.0.0", `{"/a": {"post": {"operationId": "op", "requestBody": {"content": {"application/json": {"schema": {}}}}}}}`), func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	if got := s.call("op", `{"body": "secret"}`); !strings.Contains(got, "to another origin, which is refused") || reached {
		t.Errorf("%s, reached %t", got, reached)
	}
}

func TestOperations(t *testing.T) {
	text := document("3.0.0", `{"/repos/{r}": {"get": {"operationId": "repos/get", "tags": ["repos"]}, "delete": {"operationId": "repos/delete", "tags": ["repos"]}}, "/users": {"get": {"operationId": "users", "tags": ["people"]}}}`)
	for entries, want := range map[string]string{
		"": "repos_get repos_delete users", "users": "users", "repos_*": "repos_get repos_delete", "tag:people": "users", "GET *": "repos_get users",
		"get /repos/*": "repos_get", "tag:x,DELETE /repos/{r}": "repos_delete",
	} {
		s := newScene(t, text, ok, func(o *openapi.Settings) {
			if entries != "" {
				o.Operations = strings.Split(entries, ",")
			}
		})
		tools, _ := s.conn.ListTools(t.Context())
		var names []string
		for _, tool := range tools {
			names = append(names, tool.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q selects %s, want %s", entries, got, want)
		}
	}
}

// TestDocuments checks documents that consist of several files in JSON and YAML, and refused documents.
func TestDocuments(t *testing.T) {
	folder := t.TempDir()
	outside := filepath.Join(folder, "outside.json")
	root := filepath.Join(folder, "root")
	if err := os.MkdirAll(filepath.Join(root, "schemas"), 0o700); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		outside: `{"type": "string"}`,
		filepath.Join(root, "schemas", "pet.yaml"):   "type: object\nproperties:\n  name: {type: string}\n  mother: {$ref: '#'}\n  owner: {$ref: './owner.json#/Owner'}\n",
		filepath.Join(root, "schemas", "owner.json"): `{"Owner": {"type": "object", "properties": {"since": {"type": "string", "format": "date"}}}}`,
		filepath.Join(root, "bad.yaml"):              "a: [",
	}
	for path, text := range files {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	try := func(text string) (string, error) {
		spec := filepath.Join(root, "openapi.yaml")
		if err := os.WriteFile(spec, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		conn, err := dial(t, openapi.Settings{Spec: spec})
		if err != nil {
			return "", err
		}
		tools, _ := conn.ListTools(t.Context())
		return string(tools[0].OutputSchema), nil
	}
	yaml := func(ref string) string {
		return "openapi: 3.1.0\ninfo: {title: T, version: '1'}\nservers: [{url: 'https://{region}.example.com', variables: {region: {default: eu}}}]\npaths:\n  /pets:\n    get:\n" +
			"      responses:\n        200:\n          description: d\n          content:\n            application/json:\n              schema:\n                $ref: '" + ref + "'\n"
	}
	got, err := try(yaml("schemas/pet.yaml"))
	want := `{"$ref":"#/$defs/schema","$defs":{"Owner":{"type":"object","properties":{"since":{"type":"string","format":"date"}}},` +
		`"schema":{"type":"object","properties":{"name":{"type":"string"},"mother":{"$ref":"#/$defs/schema"},"owner":{"$ref":"#/$defs/Owner"}}}}}`
	if err != nil || got != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	for _, number := range []string{"3.1", "3.0"} { // numbers, not texts, in YAML
		if _, err := try(strings.Replace(yaml("schemas/pet.yaml"), "3.1.0", number, 1)); err != nil {
			t.Errorf("version %s: %v", number, err)
		}
	}
	for text, why := range map[string]string{
		`{"swagger": "2.0"}`:                `its version is "2.0 (Swagger)"`,
		`{"openapi": "4.0.0"}`:              `its version is "4.0.0"`,
		`[1]`:                               "it is not an OpenAPI document",
		`{"openapi": "3.1.0"`:               "unexpected end",
		``:                                  "unexpected end",
		`{"openapi": "3.1.0", "paths": {}}`: `add "baseUrl"`,
		"a: &a [*a]":                        "contains itself",
		"openapi: 3.1.0\nservers: [{url: http://x}]\npaths: {}": "none of its 0 operations is selected",
	} {
		if _, err := try(text); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%.80q: error %v, want %q", text, err, why)
		}
	}
	if _, err := dial(t, openapi.Settings{Spec: filepath.Join(root, "missing.json")}); toolscript.KindOf(err) != toolscript.Unavailable {
		t.Errorf("error %v, want unavailable", err)
	}
	unread := []string{"../outside.json", "/etc/passwd", "schemas/../../outside.json", "https://example.com/a.json", "file:///etc/passwd"}
	link := filepath.Join(root, "schemas", "link.json")
	if err := os.Symlink(outside, link); err == nil {
		unread = append(unread, "schemas/link.json")
	}
	for _, ref := range unread {
		if got, err := try(yaml(ref)); err != nil || strings.Contains(got, "string") || !strings.Contains(got, "{}") {
			t.Errorf("the schema of %s is %s, %v; want one that accepts anything", ref, got, err)
		}
	}
}

// TestRemoteDocument reads a document and its parts from a URL, and nothing from another origin.
func TestRemoteDocument(t *testing.T) {
	var elsewhere *httptest.Server
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/docs/api.json":
			_, _ = io.WriteString(w, `{"openapi": "3.0.0", "servers": [{"url": "../v2"}], "paths": {"/a": {"get": {"operationId": "op", "responses": {"200": {"$ref": "parts/answers.yaml#/A"}}}}}}`)
		case "/docs/parts/answers.yaml":
			_, _ = io.WriteString(w, "A: {content: {application/json: {schema: {type: integer}}}}")
		case "/docs/moved.json":
			http.Redirect(w, r, elsewhere.URL, http.StatusFound)
		case "/v2/a":
			ok(w, r)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()
	elsewhere = httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another origin was asked") }))
	defer elsewhere.Close()
	conn, err := dial(t, openapi.Settings{Spec: server.URL + "/docs/api.json"})
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{T: t, conn: conn}
	if got := s.call("op", `{}`); !strings.Contains(got, `"ok":true`) || string(s.tool("op").OutputSchema) != `{"type":"integer"}` {
		t.Errorf("%s, %s", got, s.tool("op").OutputSchema)
	}
	for path, why := range map[string]string{"/docs/moved.json": "redirected to another origin", "/docs/none.json": "404 Not Found"} {
		if _, err := dial(t, openapi.Settings{Spec: server.URL + path}); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: error %v, want %q", path, err, why)
		}
	}
}

// TestLargeIntegers checks that integers beyond 2^53 reach the API with all digits, wherever they
// are in the request.
func TestLargeIntegers(t *testing.T) {
	const id = "7960607143101464576"
	s := newScene(t, document("3.0.0", `{"/a/{id}": {"post": {"operationId": "op",
		"parameters": [
			{"name": "id", "in": "path", "required": true, "schema": {"type": "integer", "format": "int64"}},
			{"name": "after", "in": "query", "schema": {"type": "array", "items": {"type": "integer"}}}],
		"requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": {"ids": {"type": "array", "items": {"type": "integer"}}}}}}}}}}`), ok)
	s.call("op", `{"id": `+id+`, "after": [-`+id+`], "ids": [`+id+`, 9007199254740993]}`)
	if got, want := s.last(), `POST /v1/a/`+id+`?after=-`+id+` Content-Type: application/json {"ids":[`+id+`,9007199254740993]}`; strings.ReplaceAll(got, ", ", ",") != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
