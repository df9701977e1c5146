package openapi_test

import (
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen/validate"
	"github.com/toolscript/toolscript/test/fixture/answers"
	"github.com/toolscript/toolscript/transport/openapi"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestWhereTheAPIIs: if the document does not name the address of the API, it is "/" at the document's origin.
// Texts that YAML reads as numbers are used as written.
func TestWhereTheAPIIs(t *testing.T) {
	for servers, want := range map[string]string{
		``:                            "/items",
		`servers: []`:                 "/items",
		`servers: [{url: ""}]`:        "/items",
		`servers: [{url: /}]`:         "/items",
		`servers: [{description: d}]`: "/items",
		`servers: [{url: api}]`:       "/docs/api/items",
		`servers: [{url: /v3}]`:       "/v3/items",
		`servers: [{url: 4}]`:         "/docs/4/items",
		`servers: [{url: "/v{n}", variables: {n: {default: 2}}}]`:                          "/v2/items",
		`servers: [{url: "/v{n}", variables: {n: {default: 2.0}}}]`:                        "/v2.0/items",
		`servers: [{url: "/{a}/{b}", variables: {a: {default: 1e3}, b: {default: true}}}]`: "/1e3/true/items",
		`servers: [{url: "#"}]`:                                                            "/items",
		`servers: [{url: "?a=1"}]`:                                                         "/items",
		`servers: [{url: "/v3?a=1#b"}]`:                                                    "/v3/items",
		`servers: [{url: "/{base}/v1", variables: {base: {default: ""}}}]`:                 "/v1/items",
		`servers: [{url: "/{base}/v1", variables: {base: {description: d}}}]`:              "/v1/items",
		`servers: [{url: "/{base}/v1", variables: {base: {enum: [eu, us]}}}]`:              "/eu/v1/items",
		`servers: [{url: "/{base}/v1", variables: {base: {default: /x}}}]`:                 "/x/v1/items",
		`servers: [{url: "/{a}/{b}", variables: {a: {default: True}, b: {default: 012}}}]`: "/True/012/items",
		`servers: [{url: "/{a}/{b}", variables: {a: {default: 0x10}, b: {default: 1_0}}}]`: "/0x10/1_0/items",
	} {
		t.Run(servers, func(t *testing.T) {
			var got string
			api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/docs/openapi.yaml" {
					_, _ = io.WriteString(w, "openapi: 3.1.0\ninfo: {title: T, version: 1.10}\n"+servers+"\npaths: {/items: {get: {operationId: list}}}\n")
					return
				}
				got = r.URL.Path
				ok(w, r)
			}))
			defer api.Close()
			conn, err := dial(t, openapi.Settings{Spec: api.URL + "/docs/openapi.yaml"})
			if err != nil {
				t.Fatal(err)
			}
			(&scene{T: t, conn: conn}).call("list", `{}`)
			if got != want {
				t.Errorf("the call goes to %s, want %s", got, want)
			}
			if version := conn.Info().Version; version != "1.10" {
				t.Errorf("the version is %s, want 1.10", version)
			}
		})
	}
}

// TestTextsOfYAML: the texts of a YAML document stay unchanged.
func TestTextsOfYAML(t *testing.T) {
	s := newScene(t, "openapi: 3.1.0\ninfo: {title: T, version: 1}\npaths: {/items: {get: {operationId: list, parameters: [{name: q, in: query, description: \"a < b && c > é\", schema: {type: string}}]}}}\n", ok)
	if schema := string(s.tool("list").InputSchema); !strings.Contains(schema, "a < b && c > é") {
		t.Errorf("the schema is %s", schema)
	}
}

// TestScalarsOfYAML: where a text is expected, texts that YAML reads as numbers or booleans are used as written.
func TestScalarsOfYAML(t *testing.T) {
	s := newScene(t, `openapi: 3.1.0
info: {title: 012, version: True}
paths:
  /items/{0x10}:
    get:
      operationId: True
      parameters:
        - {name: 0x10, in: path, required: True, schema: {type: string, enum: [012, 1_000, 0o7, 1, true, 'a', ~], default: 1.0}}
        - {name: n, in: query, schema: {type: integer, minimum: 0x10, enum: [0x10, 17]}}
        - {name: s, in: query, schema: {type: ["null", string], enum: [1e3, null], const: 2024-01-01}}
        - {name: b, in: query, schema: {type: boolean, default: True, enum: [true, False]}}
`, ok)
	want := `{"type":"object","additionalProperties":false,"properties":{"0x10":{"type":"string","enum":["012","1_000","0o7","1","true","a",null],"default":"1.0"},` +
		`"n":{"type":"integer","minimum":16,"enum":[16,17]},"s":{"type":["null","string"],"enum":["1e3",null],"const":"2024-01-01"},"b":{"type":"boolean","default":true,"enum":[true,false]}},"required":["0x10"]}`
	if got := string(s.tool("True").InputSchema); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if info := s.conn.Info(); info.Title != "012" || info.Version != "True" {
		t.Errorf("it is %q of version %q", info.Title, info.Version)
	}
}

// TestDocumentBehindALogin: only a document at the origin of the API is requested with the credentials.
func TestDocumentBehindALogin(t *testing.T) {
	var seen string
	serve := func(document bool) *httptest.Server {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen = strings.TrimSpace(r.Header.Get("Authorization") + " " + r.Header.Get("X-Tenant") + " " + r.URL.RawQuery)
			if document && seen == "" {
				http.Error(w, "log in", http.StatusUnauthorized)
				return
			}
			_, _ = io.WriteString(w, document3)
		}))
		t.Cleanup(server.Close)
		return server
	}
	private, public := serve(true), serve(false)
	for _, c := range []struct {
		name, spec, base, want string
		auth                   upstream.HTTPAuth
		headers                map[string]string
	}{
		{"bearer", private.URL, private.URL + "/v1", "Bearer token", upstream.HTTPAuth{Type: "bearer", Token: "token"}, nil},
		{"bearer, no address of the API", private.URL, "", "Bearer token", upstream.HTTPAuth{Type: "bearer", Token: "token"}, nil},
		{"query", private.URL, private.URL, "key=token", upstream.HTTPAuth{Type: "query", Name: "key", Value: "token"}, nil},
		{"a header", private.URL, private.URL, "acme", upstream.HTTPAuth{}, map[string]string{"X-Tenant": "acme"}},
		{"another origin", public.URL, private.URL, "", upstream.HTTPAuth{Type: "bearer", Token: "token"}, map[string]string{"X-Tenant": "acme"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen = "nothing"
			settings := openapi.Settings{Spec: c.spec + "/openapi.json", BaseURL: c.base, Auth: c.auth}
			if _, err := answers.Open(t, openapi.Dialer{}.Dial, settings, upstream.Config{Headers: c.headers}, upstream.Events{}); err != nil {
				t.Fatal(err)
			}
			if seen != c.want {
				t.Errorf("the request for the document had %q, want %q", seen, c.want)
			}
		})
	}
}

// TestRefusedDocument: a refusal, even by a page with status 200, is not reported as an invalid document.
func TestRefusedDocument(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		auth   string
		want   toolscript.Kind
		text   string
	}{
		{200, "<!doctype html><title>Sign in</title>", "bearer", toolscript.Unauthorized, `it is a page called "Sign in"; it may be that of a login; check "auth"`},
		{200, "<!-- a --><html>", "", toolscript.Unauthorized, `it is a page; it may be that of a login; check "auth"`},
		{200, "<html>", "oauth2", toolscript.Unavailable, "it is a page"},
		{401, "no", "bearer", toolscript.Unauthorized, `401 Unauthorized; check "auth" and "headers"`},
		{403, "no", "bearer", toolscript.Forbidden, `403 Forbidden; check "auth" and "headers"`},
		{204, "", "bearer", toolscript.Unavailable, "204 No Content"},
		{404, "<html>", "bearer", toolscript.Unavailable, "404 Not Found"},
		{502, "<html>", "bearer", toolscript.Unavailable, "502 Bad Gateway"},
		{200, "title: <html>", "bearer", toolscript.Invalid, "it is not an OpenAPI document"},
	} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		_, err := dial(t, openapi.Settings{Spec: web.URL + "/openapi.json", Auth: upstream.HTTPAuth{Type: c.auth, Token: "token"}})
		web.Close()
		if toolscript.KindOf(err) != c.want || !strings.Contains(fmt.Sprint(err), c.text) {
			t.Errorf("%d %s: %s: %v, want %s: %s", c.status, c.body, toolscript.KindOf(err), err, c.want, c.text)
		}
	}
}

// TestCompressedDocument: a document that the server compresses without being asked is decompressed.
func TestCompressedDocument(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "deflate")
		z := zlib.NewWriter(w)
		_, _ = io.WriteString(z, document3)
		_ = z.Close()
	}))
	defer web.Close()
	if _, err := dial(t, openapi.Settings{Spec: web.URL + "/openapi.json"}); err != nil {
		t.Error(err)
	}
}

const document3 = `{"openapi": "3.0.3", "info": {"title": "T", "version": "1"}, "servers": [{"url": "/"}], "paths": {"/a": {"get": {"operationId": "a"}}}}`

// TestWhatIsNoArgument: a parameter that the configuration sends is not an argument of a tool. A path parameter that
// the document does not declare is an argument.
func TestWhatIsNoArgument(t *testing.T) {
	parameter := func(in, name string) string {
		return fmt.Sprintf(`{"in": %q, "name": %q, "required": true, "schema": {"type": "string"}}`, in, name)
	}
	var request *http.Request
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { request = r; ok(w, r) }))
	defer api.Close()
	text := document("3.0.3", `{"/users/{userId}/{id}": {"get": {"operationId": "op", "parameters": [`+strings.Join([]string{
		parameter("header", "x-key"), parameter("header", "X-Tenant"), parameter("query", "X-Key"), parameter("cookie", "session"), parameter("cookie", "theme"), parameter("path", "id"),
	}, ",")+`]}}}`)
	settings := openapi.Settings{Spec: answers.File(t, "openapi.json", text), BaseURL: api.URL, Auth: upstream.HTTPAuth{Type: "header", Name: "X-Key", Value: "secret"}}
	var warnings []string
	conn, err := answers.Open(t, openapi.Dialer{}.Dial, settings, upstream.Config{Headers: map[string]string{"X-Tenant": "acme", "Cookie": "session=1;"}},
		upstream.Events{Log: func(_ slog.Level, message string) { warnings = append(warnings, message) }})
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{T: t, conn: conn}
	want := `{"type":"object","additionalProperties":false,"properties":{"X-Key":{"type": "string"},"theme":{"type": "string"},"id":{"type": "string"},"userId":{"type":"string"}},"required":["X-Key","theme","id","userId"]}`
	if got := string(s.tool("op").InputSchema); strings.ReplaceAll(got, `": "`, `":"`) != strings.ReplaceAll(want, `": "`, `":"`) {
		t.Errorf("the arguments are %s, want %s", got, want)
	}
	if len(warnings) != 1 || !strings.HasSuffix(warnings[0], "does not declare the parameter userId of the path; it is a text") {
		t.Errorf("warnings: %q", warnings)
	}
	if got := s.call("op", `{"X-Key":"q","theme":"dark","id":"7","userId":"ada"}`); !strings.Contains(got, `{"ok":true}`) {
		t.Fatal(got)
	}
	if got, want := fmt.Sprint(request.URL, request.Header["X-Key"], request.Header["X-Tenant"], request.Header["Cookie"]), "/users/ada/7?X-Key=q [secret] [acme] [session=1; theme=dark]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestSides: at any depth, arguments have no readOnly members, and results have no writeOnly members.
func TestSides(t *testing.T) {
	pet := `"schemas": {
		"ID": {"type": "string", "readOnly": true},
		"Base": {"type": "object", "required": ["id", "name"], "properties": {"id": {"$ref": "#/components/schemas/ID"}, "name": {"type": "string"}, "secret": {"type": "string", "writeOnly": true}}},
		"Pet": {"allOf": [{"$ref": "#/components/schemas/Base"}, {"type": "object", "required": ["id", "secret"], "properties": {"id2": {"readOnly": true, "type": "string"}}}]},
		"Visit": {"type": "object", "required": ["pets"], "properties": {"pets": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}}}
	}`
	body := func(schema string) string {
		return `"requestBody": {"required": true, "content": {"application/json": {"schema": ` + schema + `}}}`
	}
	answer := func(schema string) string {
		return `"responses": {"200": {"description": "d", "content": {"application/json": {"schema": ` + schema + `}}}}`
	}
	const ref = `{"$ref": "#/components/schemas/%s"}`
	s := newScene(t, document("3.0.3", `{
		"/pets/{id}": {"put": {"operationId": "put", "parameters": [{"in": "path", "name": "id", "required": true, "schema": {"type": "string"}}], `+body(fmt.Sprintf(ref, "Base"))+`, `+answer(fmt.Sprintf(ref, "Base"))+`}},
		"/visits": {"post": {"operationId": "visit", `+body(fmt.Sprintf(ref, "Visit"))+`, `+answer(fmt.Sprintf(ref, "Visit"))+`}}
	}`, `"components": {`+pet+`}`), ok)
	schema := func(text []byte) (all struct {
		Properties map[string]json.RawMessage
		Required   []string
		Defs       map[string]struct {
			Properties map[string]json.RawMessage
			Required   []string
			AllOf      []struct{ Required []string }
		} `json:"$defs"`
	}) {
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	if in := schema(s.tool("put").InputSchema); len(in.Properties) != 3 || fmt.Sprint(in.Required) != "[id name]" { // id in the path, name, secret
		t.Errorf("put takes %s", s.tool("put").InputSchema)
	}
	in, out := schema(s.tool("visit").InputSchema), schema(s.tool("visit").OutputSchema)
	if base := in.Defs["Base"]; base.Properties["id"] != nil || base.Properties["secret"] == nil || fmt.Sprint(base.Required, in.Defs["Pet"].AllOf[1].Required) != "[name] [secret]" {
		t.Errorf("visit takes %s", s.tool("visit").InputSchema)
	}
	if base := out.Defs["Base"]; base.Properties["id"] == nil || base.Properties["secret"] != nil || fmt.Sprint(base.Required, out.Defs["Pet"].AllOf[1].Required) != "[id name] [id]" {
		t.Errorf("visit returns %s", s.tool("visit").OutputSchema)
	}
	if got := s.call("put", `{"id":"7","name":"Rex"}`); !strings.Contains(got, `{"ok":true}`) || s.last() != `PUT /v1/pets/7 Content-Type: application/json {"name":"Rex"}` {
		t.Errorf("%s %s", got, s.last())
	}
}

// TestCookieOfAuth: the cookies of "auth" are not arguments. They are sent together with the cookies of a call.
func TestCookieOfAuth(t *testing.T) {
	cookie := func(name string) string {
		return fmt.Sprintf(`{"in": "cookie", "name": %q, "required": true, "schema": {"type": "string"}}`, name)
	}
	s := newScene(t, document("3.0.3", `{"/a": {"get": {"operationId": "op", "parameters": [`+cookie("sid")+`, `+cookie("b")+`, `+cookie("theme")+`]}}}`), ok,
		func(o *openapi.Settings) {
			o.Auth = upstream.HTTPAuth{Type: "header", Name: "cookie", Value: "sid=abc; b=c"}
		})
	if got := string(s.tool("op").InputSchema); !strings.Contains(got, `"required":["theme"]`) {
		t.Errorf("the arguments are %s", got)
	}
	if s.call("op", `{"theme": "dark"}`); s.last() != "GET /v1/a Cookie: sid=abc; b=c; theme=dark" {
		t.Error(s.last())
	}
	s = newScene(t, document("3.0.3", `{"/a": {"get": {"operationId": "op"}}}`), ok,
		func(o *openapi.Settings) { o.Auth = upstream.HTTPAuth{Type: "query", Name: "api key", Value: "a b+c"} })
	if s.call("op", `{}`); s.last() != "GET /v1/a?api%20key=a%20b%2Bc" {
		t.Error(s.last())
	}
}

// TestRequiredReadOnly: no part of a body requires a member that another part declares as readOnly.
func TestRequiredReadOnly(t *testing.T) {
	const readOnly = `{"type": "string", "readOnly": true}`
	for name, c := range map[string]struct {
		schema, args string
		refused      string // a body that is still refused
	}{
		"beside a reference":     {`{"type": "object", "required": ["id", "n"], "properties": {"id": {"$ref": "#/components/schemas/Text", "readOnly": true}, "n": {}}}`, `{"n": 1}`, `{}`},
		"a base that demands":    {`{"allOf": [{"$ref": "#/components/schemas/Demands"}, {"properties": {"id": ` + readOnly + `}}]}`, `{"n": 1}`, `{}`},
		"a base that declares":   {`{"allOf": [{"$ref": "#/components/schemas/Declares", "required": ["id"]}, {"properties": {"id": ` + readOnly + `}}]}`, `{"n": 1}`, `{"n": "x"}`},
		"a nested base":          {`{"allOf": [{"allOf": [{"$ref": "#/components/schemas/Demands", "required": ["id", "m"]}]}, {"properties": {"id": ` + readOnly + `}}]}`, `{"n": 1, "m": 1}`, `{"n": 1}`},
		"required beside a $ref": {`{"$ref": "#/components/schemas/Hides", "required": ["id", "n"]}`, `{"n": 1}`, `{}`},
		"in an alternative":      {`{"type": "object", "properties": {"id": ` + readOnly + `, "n": {}}, "anyOf": [{"required": ["id", "n"]}, {"required": ["id", "m"]}]}`, `{"n": 1}`, `{}`},
		"beside alternatives":    {`{"type": "object", "required": ["id", "n"], "oneOf": [{"required": ["a"], "properties": {"id": ` + readOnly + `}}, {"required": ["b"], "properties": {"id": ` + readOnly + `}}]}`, `{"n": 1, "a": 1}`, `{"a": 1}`},
		"of one alternative":     {`{"type": "object", "oneOf": [{"required": ["a", "id"], "properties": {"id": ` + readOnly + `}}, {"required": ["b", "id"], "properties": {"id": {"type": "string"}}}]}`, `{"b": 1, "id": "x"}`, `{"b": 1}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, document("3.1.0", `{"/a": {"post": {"operationId": "op", "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "array", "items": `+c.schema+`}}}}}}}`,
				`"components": {"schemas": {"Text": {"type": "string"}, "Demands": {"type": "object", "required": ["id", "n"]}, "Declares": {"type": "object", "properties": {"id": {"type": "string"}, "n": {"type": "number"}}},
				"Hides": {"type": "object", "properties": {"id": `+readOnly+`}}}}`), ok)
			for args, fits := range map[string]bool{c.args: true, c.refused: false} {
				details, err := new(validate.Validator).Check(t.Context(), s.tool("op").InputSchema, []byte(`{"body": [`+args+`]}`))
				if err != nil || (len(details) == 0) != fits {
					t.Errorf("%s: %v, %v in %s", args, details, err, s.tool("op").InputSchema)
				}
			}
		})
	}
}

// TestNullIsLeftOut: null in a form, in multipart or in a deepObject is omitted, and not sent as "null".
func TestNullIsLeftOut(t *testing.T) {
	operation := func(media, parameters string) string {
		return `{"post": {"operationId": "op", "parameters": [` + parameters + `], "requestBody": {"content": {"` + media + `": {"schema": {"type": "object", "properties": {"a": {}, "b": {}}}}}}}}`
	}
	deep := `{"in": "query", "name": "f", "style": "deepObject", "explode": true, "schema": {"type": "object"}}`
	s := newScene(t, document("3.0.3", `{"/form": `+operation("application/x-www-form-urlencoded", deep)+`}`), ok)
	if s.call("op", `{"a":null,"b":[1,null],"f":{"x":null,"y":{"z":null,"w":1}}}`); !strings.HasPrefix(s.last(), "POST /v1/form?f%5By%5D%5Bw%5D=1 ") || !strings.HasSuffix(s.last(), " b=1") {
		t.Error(s.last())
	}
	parameter := func(in, name, style string, explode bool) string {
		return fmt.Sprintf(`{"in": %q, "name": %q, "style": %q, "explode": %t, "schema": {}}`, in, name, style, explode)
	}
	s = newScene(t, document("3.0.3", `{"/lists/{p}": {"post": {"operationId": "op", "parameters": [`+strings.Join([]string{
		parameter("path", "p", "matrix", true), parameter("query", "q", "form", false), parameter("query", "pipes", "pipeDelimited", false),
		parameter("query", "spaces", "spaceDelimited", false), parameter("query", "o", "form", false), parameter("query", "none", "form", false),
		parameter("header", "X-Key", "simple", false), parameter("header", "X-List", "simple", true),
	}, ",")+`], "requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": {"type": "object", "properties": {"a": {}, "b": {}}}, "encoding": {"a": {"explode": false}, "b": {"explode": false}}}}}}}}`), ok)
	const want = "POST /v1/lists/;p=1;p=2?q=x,y&pipes=x%7Cy&spaces=x%20y&o=k,1 X-Key: x,y X-List: k=1 Content-Type: application/x-www-form-urlencoded a=x,y&b=k,1"
	const list, object = `["x",null,"y"]`, `{"k":1,"z":null}`
	if s.call("op", `{"p":[1,null,2],"q":`+list+`,"pipes":`+list+`,"spaces":`+list+`,"o":`+object+`,"none":{"z":null},"X-Key":`+list+`,"X-List":`+object+`,"a":`+list+`,"b":`+object+`}`); s.last() != want {
		t.Errorf("got %s\nwant %s", s.last(), want)
	}
	s = newScene(t, document("3.0.3", `{"/parts": `+operation("multipart/form-data", "")+`}`), ok)
	if s.call("op", `{"a":null,"b":[1,null]}`); strings.Contains(s.last(), "null") || strings.Count(s.last(), "form-data; name=") != 1 {
		t.Error(s.last())
	}
}

// TestPromisedJSON: if the document promises JSON, JSON with another media type is a value, and an HTML page is an
// error. A compressed answer is decoded, even if the call or the configuration sets Accept-Encoding.
func TestPromisedJSON(t *testing.T) {
	promise := func(media string) string {
		return `{"get": {"operationId": "op", "parameters": [{"in": "header", "name": "Accept-Encoding", "schema": {"type": "string"}}], "responses": {"200": {"description": "d", "content": {"` + media + `": {"schema": {}}}}}}}`
	}
	for _, c := range []struct{ promised, media, content, want string }{
		{"application/json", "text/html; charset=utf-8", `{"a":1}`, `{"content":[],"structuredContent":{"a":1}}`},
		{"application/json", "text/plain", "\ufeff[1]", `{"content":[],"structuredContent":[1]}`},
		{"application/json", "application/octet-stream", `{"a":1}`, `{"content":[],"structuredContent":{"a":1}}`},
		{"application/json", "text/plain", `done`, `{"content":[],"structuredContent":"done"}`},
		{"text/plain", "text/plain", `{"a":1}`, `{"content":[],"structuredContent":"{\"a\":1}"}`},
		{"application/json", "text/html", "<html><title>Sign\n in &amp; go</title><body>Password", `{"_meta":{"toolscript/status":200},"content":[{"text":` +
			`"GET /a: the document promises JSON, and the answer, with status 200 OK, is a page called \"Sign in & go\"; it may be that of a login; ` +
			`the request was sent: <html><title>Sign\n in &amp; go</title><body>Password","type":"text"}],"isError":true}`},
	} {
		s := newScene(t, document("3.0.3", `{"/a": `+promise(c.promised)+`}`), func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", c.media)
			if r.Header.Get("Accept-Encoding") != "gzip" {
				t.Errorf("it accepts %q", r.Header.Get("Accept-Encoding"))
			}
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, c.content)
			_ = z.Close()
		})
		if got := s.call("op", `{"Accept-Encoding":"gzip, br"}`); got != c.want {
			t.Errorf("%s as %s where %s is promised: got %s, want %s", c.content, c.media, c.promised, got, c.want)
		}
	}
}

// TestPages: if the document promises JSON, an HTML page with any media type is an error, even as the default
// answer. Other texts are not taken for a page.
func TestPages(t *testing.T) {
	const login = "<html><head><title>Sign in</title></head></html>"
	const promised = `{"description": "d", "content": {"application/json": {"schema": {"type": "object"}}}}`
	for _, responses := range []string{`{"200": ` + promised + `}`, `{"default": ` + promised + `}`, `{"404": {"description": "d"}, "default": ` + promised + `}`} {
		for _, media := range []string{"text/html", "application/json", "text/plain", "application/xhtml+xml", "application/octet-stream", ""} {
			for page, is := range map[string]bool{
				login: true, "\ufeff" + login: true, "\n <!DOCTYPE html>" + login: true, "<!-- c --><HTML><title>Sign in</title>": true,
				`<?xml version="1.0"?><!-- c --><!doctype HTML>` + login: true, "<?xml version='1.0'?><a/>": media == "text/html", "<!-- html": media == "text/html",
			} {
				s := newScene(t, document("3.0.3", `{"/a": {"post": {"operationId": "op", "responses": `+responses+`}}}`), func(w http.ResponseWriter, _ *http.Request) {
					w.Header()["Content-Type"] = []string{media}
					if media == "" {
						w.Header()["Content-Type"] = nil
					}
					_, _ = io.WriteString(w, page)
				})
				got := s.call("op", `{}`)
				want := []string{"the document promises JSON, and the answer, with status 200 OK, is a page", "the request was sent: ", `"isError":true`, `"toolscript/status":200`}
				if strings.Contains(page, "Sign in") {
					want = append(want, `is a page called \"Sign in\"`)
				}
				for _, part := range want {
					if strings.Contains(got, part) != is && (is || part == want[0]) {
						t.Errorf("%s, %q, %q: %s", responses, media, page, got)
					}
				}
			}
		}
	}
}

// TestDefaultAnswer: the default answer describes success only if the document has no other answer.
func TestDefaultAnswer(t *testing.T) {
	const fault = `"default": {"description": "d", "content": {"application/json": {"schema": {"type": "object", "properties": {"fault": {}}}}}}`
	s := newScene(t, document("3.0.3", `{"/a": {"get": {"operationId": "a", "responses": {`+fault+`}}}, "/b": {"get": {"operationId": "b", "responses": {"204": {"description": "d"}, `+fault+`}}}}`), ok)
	if a, b := string(s.tool("a").OutputSchema), string(s.tool("b").OutputSchema); !strings.Contains(a, "fault") || b != `{"type":"null"}` {
		t.Errorf("%s, %s", a, b)
	}
}

// TestTextsAsAnswers: if the document promises a JSON string, a plain text becomes that string.
func TestTextsAsAnswers(t *testing.T) {
	for _, c := range []struct{ schema, media, content, want string }{
		{`{"type": "string"}`, "text/plain", `12345`, `"12345"`},
		{`{"type": "string"}`, "text/plain; charset=utf-8", `true`, `"true"`},
		{`{"type": "string"}`, "text/plain", ` {"a":1}`, `" {\"a\":1}"`},
		{`{"type": ["string", "null"]}`, "text/plain", `007`, `"007"`},
		{`{"$ref": "#/components/schemas/Text"}`, "text/plain", `null`, `"null"`},
		{`{"type": "string"}`, "text/plain", `"abc"`, `"abc"`},
		{`{"type": "string"}`, "application/json", `12345`, `12345`},
		{`{"type": "integer"}`, "text/plain", `12345`, `12345`},
	} {
		s := newScene(t, document("3.1.0", `{"/a": {"get": {"operationId": "op", "responses": {"200": {"description": "d", "content": {"application/json": {"schema": `+c.schema+`}}}}}}}`,
			`"components": {"schemas": {"Text": {"type": "string"}}}`), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.media)
			_, _ = io.WriteString(w, c.content)
		})
		if got, want := s.call("op", `{}`), `{"content":[],"structuredContent":`+c.want+`}`; got != want {
			t.Errorf("%s, %s, %s: got %s, want %s", c.schema, c.media, c.content, got, want)
		}
	}
}

// TestEncodings: answers and the texts of errors are decompressed, even as x-gzip or deflate.
func TestEncodings(t *testing.T) {
	for name, compress := range map[string]func(io.Writer) io.WriteCloser{
		"gzip":    func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"X-Gzip":  func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
		"Deflate": func(w io.Writer) io.WriteCloser {
			z, err := flate.NewWriter(w, flate.BestSpeed)
			if err != nil {
				t.Fatal(err)
			}
			return z
		},
	} {
		for _, c := range []struct {
			status        int
			content, want string
		}{
			{http.StatusOK, `{"a":1}`, `{"content":[],"structuredContent":{"a":1}}`},
			{http.StatusOK, ``, `{"content":[],"structuredContent":null}`},
			{http.StatusBadRequest, "no such thing", "400 Bad Request: no such thing"},
		} {
			s := newScene(t, document("3.0.3", `{"/a": {"get": {"operationId": "op"}}}`), func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Encoding", name)
				w.WriteHeader(c.status)
				if c.content == "" {
					return
				}
				z := compress(w)
				_, _ = io.WriteString(z, c.content)
				_ = z.Close()
			})
			if got := s.call("op", `{}`); !strings.Contains(got, c.want) {
				t.Errorf("%s: got %s, want %s", name, got, c.want)
			}
		}
		s := newScene(t, document("3.0.3", `{"/a": {"get": {"operationId": "op"}}}`), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", name)
			_, _ = io.WriteString(w, "\xff\xff it is not compressed")
		})
		if _, err := s.try("op", `{}`); err == nil {
			t.Errorf("%s: what is not compressed is an answer", name)
		}
	}
}
