package graphql_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/answers"
	"github.com/toolscript/toolscript/transport/graphql"
	"github.com/toolscript/toolscript/transport/upstream"
)

func dial(t *testing.T, s graphql.Settings) (*upstream.Conn, error) {
	t.Helper()
	return answers.Open(t, graphql.Dialer{}.Dial, s, upstream.Config{}, upstream.Events{})
}

// toolsOf returns the tools of a schema in the definition language.
func toolsOf(t *testing.T, schema string) []toolscript.Tool {
	t.Helper()
	conn, err := dial(t, graphql.Settings{URL: "http://127.0.0.1:1/graphql", Spec: answers.File(t, "schema.graphql", schema)})
	if err != nil {
		t.Fatal(err)
	}
	tools, err := conn.ListTools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

const sdl = `
"""
All that can be asked.
"""
type Query { pet(id: ID!, kind: Kind = CAT): Pet  pets: [[Pet!]]  tree(in: Tree!, select: Int): Pet  when: Date }
type Mutation { feed(amounts: [Float!]!): Boolean! }
type Pet { id: ID!  name: String  friend: Pet  owner: Owner  food(day: Date!): String }
type Owner { name: String!  pets: [Pet!] }
enum Kind { CAT DOG }
"a < b && c"
input Tree { value: Int!  left: Tree  right: Tree }
scalar Date`

// TestDefinitionLanguage: a schema in a file is used without a request to the endpoint.
func TestDefinitionLanguage(t *testing.T) {
	tools := toolsOf(t, sdl)
	want := map[string][2]string{ // parts of the input schema and of the output schema
		"pet":  {`"kind":{"anyOf":[{"enum":["CAT","DOG"]},{"type":"null"}],"description":"The default is CAT."}`, `"friend":{"anyOf":[{"additionalProperties":true,"properties":{"id":{"type":"string"}`},
		"pets": {`the default is { id name friend { id name } owner { name } }`, `{"anyOf":[{"items":{"anyOf":[{"items":{"additionalProperties":true`},
		"tree": {`"Tree":{"additionalProperties":false,"description":"a < b && c","properties":{"left":{"anyOf":[{"$ref":"#/$defs/Tree"},{"type":"null"}]}`, `"type":"object"`},
		"when": {`"properties":{},"required":[]`, `{"description":"a value of the scalar Date"}`},
		"feed": {`"amounts":{"items":{"type":"number"},"type":"array"}},"required":["amounts"]`, `{"type":"boolean"}`},
	}
	for _, tool := range tools {
		parts := want[tool.Name]
		delete(want, tool.Name)
		if parts[0] == "" || !strings.Contains(string(tool.InputSchema), parts[0]) || !strings.Contains(string(tool.OutputSchema), parts[1]) {
			t.Errorf("%s: %s\n%s", tool.Name, tool.InputSchema, tool.OutputSchema)
		}
		if tool.Name == "tree" && !strings.Contains(string(tool.InputSchema), `"select_":{"description"`) {
			t.Errorf("an argument of the field is replaced: %s", tool.InputSchema)
		}
	}
	if len(want) > 0 {
		t.Errorf("there are no tools for %v", want)
	}
}

// TestHostileEndpoint: a long chain of types and a type with very many fields take little time and memory.
func TestHostileEndpoint(t *testing.T) {
	var types strings.Builder
	types.WriteString("type Query { chain(in: I0): Wide }\n")
	for i := range 50_000 {
		fmt.Fprintf(&types, "input I%d { next: I%d }\n", i, (i+1)%50_000)
	}
	types.WriteString("type Wide {")
	for i := range 3000 {
		fmt.Fprintf(&types, " a%d: Wide b%d: Int", i, i)
	}
	types.WriteString(" }\n")
	tools := toolsOf(t, types.String())
	if len(tools) != 1 || len(tools[0].InputSchema) > 1<<20 || len(tools[0].OutputSchema) > 1<<20 {
		t.Errorf("%d tools", len(tools))
	}
}

// TestDefaultSelection: the default selection omits lists with bounds, deprecated fields and deep objects.
func TestDefaultSelection(t *testing.T) {
	const types = `type Query { a: A  union: U  node: Node  many: [[A!]!]! }
type A implements Node { id: ID!  list(first: Int): [A]  format(as: String): String  needs(x: Int!): Int  old: Int @deprecated  b: B }
type B { c: C  n: Int }
type C { d: Int }
interface Node { id: ID! }
union U = A | B`
	tools := toolsOf(t, types)
	for name, want := range map[string]string{"a": "{ id format b { n } }", "union": "{ __typename }", "node": "{ id }", "many": "{ id format b { n } }"} {
		i := slices.IndexFunc(tools, func(t toolscript.Tool) bool { return t.Name == name })
		if i < 0 || !strings.Contains(string(tools[i].InputSchema), "the default is "+want+`"`) {
			t.Errorf("%s: want %s in %s", name, want, tools[i].InputSchema)
		}
	}
}

// TestBadEndpoints checks the errors for answers that are not a schema, and for settings that select nothing.
func TestBadEndpoints(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   string
		kind   toolscript.Kind
	}{
		{200, `{"data": {"__schema": null}}`, "has no types", toolscript.Invalid},
		{200, `{"errors": [{"message": "introspection is disabled"}]}`, `introspection is disabled; name a file with the schema as "spec"`, toolscript.Unavailable},
		{200, `<html>`, "answered 200 OK with a page, without GraphQL; it may be that of a login; the request was sent: <html>", toolscript.Unauthorized},
		{401, `no`, `answered 401 Unauthorized without GraphQL: no; check "auth" of the server in the configuration`, toolscript.Unauthorized},
		{403, `no`, `answered 403 Forbidden without GraphQL: no; check "auth" of the server in the configuration`, toolscript.Forbidden},
		{403, `<html>`, "answered 403 Forbidden with a page", toolscript.Forbidden},
		{404, `no`, `name a file with the schema as "spec"`, toolscript.Unavailable},
		{500, `no`, "answered 500 Internal Server Error without GraphQL: no", toolscript.Unavailable},
		{502, `<html>`, "answered 502 Bad Gateway with a page", toolscript.Unavailable},
		{503, `no`, "answered 503 Service Unavailable", toolscript.Busy},
		{200, `[1]`, "without GraphQL", toolscript.Unavailable},
		{200, `{"data": {"__schema": {"types": [{"name": "Q", "fields": null}, null], "queryType": {"name": "Q"}}}}`, "no query or mutation is selected", toolscript.Invalid},
		{200, `{"data": {"__schema": {"types": [{"name": "Q", "fields": [{"name": "a", "type": {"kind": "LIST"}}]}], "queryType": {"name": "Q"}}}}`, "", ""},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		_, err := dial(t, graphql.Settings{URL: server.URL})
		server.Close()
		if c.want == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || toolscript.KindOf(err) != c.kind {
			t.Errorf("%s: error %v, want %q", c.body, err, c.want)
		}
	}
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer silent.Close()
	ended, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	settings, err := json.Marshal(graphql.Settings{URL: silent.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (graphql.Dialer{}).Dial(ended, "api", upstream.Config{Type: upstream.GraphQL, API: settings}, upstream.Events{}); toolscript.KindOf(err) != toolscript.Timeout {
		t.Errorf("after the end of the time: error %v, want timeout", err)
	}
	if _, err := dial(t, graphql.Settings{URL: "http://127.0.0.1:1/"}); toolscript.KindOf(err) != toolscript.Unavailable {
		t.Errorf("error %v, want unavailable", err)
	}
	if _, err := dial(t, graphql.Settings{URL: "http://127.0.0.1:1/", Spec: "/no/such/file"}); toolscript.KindOf(err) != toolscript.Unavailable {
		t.Errorf("error %v, want unavailable", err)
	}
}

// TestLargeIntegers checks that integers beyond 2^53 keep all digits in both directions.
func TestLargeIntegers(t *testing.T) {
	var asked string
	conn := served(t, "scalar Long\ntype Query { next(id: Long!): Long }", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = string(body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"data":{"next":7960607143101464577}}`)
	})
	got, err := answers.Of(t, conn, "next", `{"id":7960607143101464576}`)
	if err != nil || !strings.Contains(got, `"structuredContent":7960607143101464577`) || !strings.Contains(asked, `"id":7960607143101464576`) {
		t.Errorf("got %s, %v for %s", got, err, asked)
	}
}
