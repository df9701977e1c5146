package openapi_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/answers"
	"github.com/toolscript/toolscript/transport/openapi"
	"github.com/toolscript/toolscript/transport/upstream"
)

const local = "http://127.0.0.1:1"

// warned returns the tools of a document by name, and the warnings about it.
func warned(t *testing.T, text, base string) (map[string]toolscript.Tool, string) {
	t.Helper()
	var warnings []string
	conn, err := answers.Open(t, openapi.Dialer{}.Dial, openapi.Settings{Spec: answers.File(t, "openapi.json", text), BaseURL: base}, upstream.Config{}, upstream.Events{
		Log: func(_ slog.Level, text string) { warnings = append(warnings, text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]toolscript.Tool{}
	tools, _ := conn.ListTools(t.Context()) // never fails
	for _, tool := range tools {
		all[tool.Name] = tool
	}
	return all, strings.Join(warnings, "\n")
}

// TestOneMistake: a mistake in a document removes at most one tool, and causes a warning.
func TestOneMistake(t *testing.T) {
	const good = `"/good": {"get": {"operationId": "good"}}`
	answer := func(schema string) string {
		return `"/other": {"get": {"operationId": "other", "responses": {"200": {"content": {"application/json": {"schema": ` + schema + `}}}}}}`
	}
	for name, c := range map[string]struct {
		path, warning string
		other         bool
	}{
		"a parameter that leads nowhere": {`"/other": {"get": {"operationId": "other", "parameters": [{"$ref": "#/nothing"}]}}`, "GET /other is left out: the reference #/nothing leads nowhere", false},
		"a path that leads nowhere":      {`"/other": {"$ref": "#/nothing"}`, "the path /other is left out: the reference #/nothing leads nowhere", false},
		"a body that leads nowhere":      {`"/other": {"post": {"operationId": "other", "requestBody": {"$ref": "missing.json"}}}`, "POST /other is left out: ", false},
		"an answer that leads nowhere":   {`"/other": {"get": {"operationId": "other", "responses": {"200": {"$ref": "#/nothing"}}}}`, "GET /other is left out: ", false},
		"a schema that leads nowhere":    {answer(`{"$ref": "#/nothing"}`), "the types of some values are unknown: the reference #/nothing leads nowhere", true},
		"an anchor that is not there":    {answer(`{"$ref": "#nothing"}`), "the types of some values are unknown: the reference #nothing leads to no anchor", true},
		"a file that is not there":       {answer(`{"$ref": "missing.json#/A"}`), "the types of some values are unknown: ", true},
		"another origin":                 {answer(`{"$ref": "http://192.0.2.1/a.json"}`), "leads to another origin, which is not read", true},
		"another folder":                 {answer(`{"$ref": "../a.json"}`), "leaves the folder of the document, which is not read", true},
		"a parameter without a place":    {`"/other": {"get": {"operationId": "other", "parameters": [{"name": "id", "in": "path", "required": true}]}}`, "GET /other: the path has no place for its parameter id, which is left out", true},
		"too many parameters":            {`"/other": {"get": {"operationId": "other", "parameters": [` + parameters(1100) + `]}}`, "GET /other is left out: it has more than 1000 parameters", false},
	} {
		t.Run(name, func(t *testing.T) {
			tools, warnings := warned(t, document("3.1.0", "{"+c.path+","+good+"}"), local)
			if _, has := tools["good"]; !has || !strings.Contains(warnings, c.warning) {
				t.Errorf("tools %v, warnings %s", tools, warnings)
			}
			if _, has := tools["other"]; has != c.other {
				t.Errorf("the other tool is there: %t", has)
			}
		})
	}
}

// TestAnchors checks references to anchors, which OpenAPI 3.1 takes over from JSON Schema.
func TestAnchors(t *testing.T) {
	text := document("3.1.0", `{"/a": {"get": {"operationId": "a", "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#pet"}}}}}}}}`,
		`"components": {"schemas": {"Pet": {"$anchor": "pet", "type": "object", "properties": {"mother": {"$ref": "#pet"}, "owner": {"$ref": "#owner"}}},
			"X": {"type": "object", "properties": {"deep": {"$dynamicAnchor": "owner", "type": "string"}}}}}`)
	tools, warnings := warned(t, text, local)
	want := `{"$ref":"#/$defs/pet","$defs":{"owner":{"type":"string"},"pet":{"type":"object","properties":{"mother":{"$ref":"#/$defs/pet"},"owner":{"$ref":"#/$defs/owner"}}}}}`
	if got := string(tools["a"].OutputSchema); got != want || warnings != "" {
		t.Errorf("%s\nwant %s\nwarnings: %s", got, want, warnings)
	}
}

// TestMistakesInAddresses: an unusable address removes the tools that have it, and an ambiguous variable causes
// a warning.
func TestMistakesInAddresses(t *testing.T) {
	for name, c := range map[string]struct {
		servers, own, warning string
		other                 bool
	}{
		"another scheme":        {`{"url": "https://192.0.2.1"}`, `{"url": "ftp://x"}`, `GET /other is left out: the document names no server with an address`, false},
		"a variable in a host":  {`{"url": "https://192.0.2.1"}`, `{"url": "https://{h}/v1", "variables": {"h": {}}}`, `the variable "h" in the address "https://{h}/v1" of a server has no default; it is empty`, false},
		"a variable without it": {`{"url": "https://192.0.2.1/{v}", "variables": {"v": {}}}`, `{"url": "https://192.0.2.1"}`, `the variable "v" in the address "https://192.0.2.1/{v}" of a server has no default`, true},
		"a variable of no name": {`{"url": "https://192.0.2.1/{v}"}`, `{"url": "https://192.0.2.1"}`, `has the variable "v", which the document does not declare`, true},
	} {
		t.Run(name, func(t *testing.T) {
			tools, warnings := warned(t, document("3.1.0", `{"/other": {"get": {"operationId": "other", "servers": [`+c.own+`]}}, "/good": {"get": {"operationId": "good"}}}`, `"servers": [`+c.servers+`]`), "")
			if _, has := tools["good"]; !has || !strings.Contains(warnings, c.warning) {
				t.Errorf("tools %v, warnings %s", tools, warnings)
			}
			if _, has := tools["other"]; has != c.other {
				t.Errorf("the other tool is there: %t", has)
			}
		})
	}
}
