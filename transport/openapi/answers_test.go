package openapi_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestOpenBody: a body may have members that the document does not name, unless the schema forbids them.
func TestOpenBody(t *testing.T) {
	post := func(path, schema string) string {
		return `"` + path + `{id}": {"post": {"operationId": "` + strings.Trim(path, "/") + `", "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}, {"name": "q", "in": "query", "schema": {"type": "string"}}],
			"requestBody": {"content": {"application/json": {"schema": ` + schema + `}}}}}`
	}
	s := newScene(t, document("3.1.0", `{`+
		post("/uneval/", `{"type": "object", "unevaluatedProperties": false, "allOf": [{"properties": {"name": {"type": "string"}}}]}`)+","+
		post("/typed/", `{"type": "object", "unevaluatedProperties": {"type": "number"}, "properties": {"name": {"type": "string"}}}`)+","+
		post("/open/", `{"type": "object", "properties": {"name": {"type": "string"}}}`)+","+
		post("/closed/", `{"type": "object", "additionalProperties": false, "properties": {"name": {"type": "string"}}}`)+","+
		post("/part/", `{"allOf": [{"type": "object", "additionalProperties": false, "properties": {"name": {"type": "string"}}}, {"type": "object", "properties": {"b": {"type": "string"}}}]}`)+`}`), ok)
	s.call("open", `{"id": "7", "q": "x", "name": "n", "more": {"a": [1]}}`)
	if got := s.last(); got != `POST /v1/open/7?q=x Content-Type: application/json {"more":{"a": [1]},"name":"n"}` {
		t.Errorf("the request is %s", got)
	}
	for tool, closed := range map[string]bool{"open": false, "closed": true, "part": true, "uneval": true} {
		if schema := string(s.tool(tool).InputSchema); strings.Contains(schema, `"additionalProperties":false`) != closed {
			t.Errorf("%s: %s", tool, schema)
		}
	}
	if schema := string(s.tool("typed").InputSchema); !strings.Contains(schema, `"body":{`) {
		t.Errorf("typed: %s", schema)
	}
}

// TestHeadersOfAnswers: a script can read the headers that the document declares.
func TestHeadersOfAnswers(t *testing.T) {
	const declared = `"headers": {"Location": {"schema": {"type": "string"}}, "X-Total": {"schema": {"type": "integer"}}, "Link": {}, "Set-Cookie": {}}`
	s := newScene(t, document("3.0.3", `{
		"/list": {"get": {"operationId": "list", "responses": {"200": {`+declared+`, "content": {"application/json": {"schema": {"type": "object"}}}}}}},
		"/create": {"post": {"operationId": "create", "responses": {"201": {`+declared+`}}}},
		"/lost": {"put": {"operationId": "lost", "responses": {"200": {`+declared+`, "content": {"application/json": {"schema": {"type": "object"}}}}}}},
		"/head": {"head": {"operationId": "head", "responses": {"200": {`+declared+`, "content": {"application/json": {"schema": {"type": "object"}}}}}}},
		"/plain": {"get": {"operationId": "plain", "responses": {"200": {"content": {"application/json": {"schema": {"type": "object"}}}}}}}}`),
		func(w http.ResponseWriter, r *http.Request) {
			for name, value := range map[string]string{"Location": "/orders/7", "x-total": "31", "Set-Cookie": "a=secret", "X-Other": "o"} {
				w.Header().Set(name, value)
			}
			switch r.Method {
			case http.MethodPost:
				w.WriteHeader(http.StatusCreated)
			case http.MethodGet:
				ok(w, r)
			}
		})
	const block = `"content":[{"_meta":{"headers":{"Location":"/orders/7","X-Total":"31"}},"text":"Location: /orders/7\nX-Total: 31","type":"text"}]`
	for tool, want := range map[string]string{
		"list":   `{` + block + `,"structuredContent":{"ok":true}}`,
		"create": `{` + block + `,"structuredContent":{}}`,
		"lost":   `{` + block + `,"structuredContent":null}`,
		"head":   `{` + block + `,"structuredContent":{}}`,
		"plain":  `{"content":[],"structuredContent":{"ok":true}}`,
	} {
		if got := s.call(tool, `{}`); got != want {
			t.Errorf("%s: %s\nwant %s", tool, got, want)
		}
	}
}

// TestChoiceOfAnswers: a call can choose among the media types of an answer. Other names of JSON are not a choice.
func TestChoiceOfAnswers(t *testing.T) {
	const dotnet = `{"text/plain": {"schema": {"type": "object"}}, "application/json": {"schema": {"type": "object"}}, "text/json": {"schema": {"type": "object"}}}`
	s := newScene(t, document("3.0.3", `{
		"/report": {"get": {"operationId": "report", "parameters": [{"name": "accept", "in": "query", "schema": {"type": "string"}}], "responses": {"200": {"content": {"text/csv": {"schema": {"type": "string"}}, "application/json": {"schema": {"type": "array"}}, "application/pdf": {}}}}}},
		"/dotnet": {"get": {"operationId": "dotnet", "responses": {"200": {"content": `+dotnet+`}}}}}`),
		func(w http.ResponseWriter, r *http.Request) {
			media := r.Header.Get("Accept")
			w.Header().Set("Content-Type", media)
			_, _ = io.WriteString(w, map[string]string{"application/json": `[1]`, "text/csv": "a,b\n", "application/pdf": "%PDF"}[media])
		})
	for args, want := range map[string]string{
		`{}`:                              `"structuredContent":[1]`,
		`{"accept": "x"}`:                 `"structuredContent":[1]`,
		`{"accept_": "application/json"}`: `"structuredContent":[1]`,
		`{"accept_": "text/csv"}`:         `"structuredContent":"a,b\n"`,
		`{"accept_": "application/pdf"}`:  `"mimeType":"application/pdf"`,
	} {
		if got := s.call("report", args); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	if schema := string(s.tool("report").InputSchema); !strings.Contains(schema, `"accept_":{"type":"string","enum":["application/json","text/csv","application/pdf"],"description":"the media type of the answer; default application/json"}`) {
		t.Errorf("the arguments are %s", schema)
	}
	if schema := string(s.tool("dotnet").InputSchema); strings.Contains(schema, "accept") {
		t.Errorf("the arguments are %s", schema)
	}
}
