package graphql_test

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/answers"
	"github.com/toolscript/toolscript/transport/graphql"
	"github.com/toolscript/toolscript/transport/upstream"
)

// served returns a connection to an endpoint with a schema in the definition language.
func served(t *testing.T, schema string, endpoint http.HandlerFunc) *upstream.Conn {
	t.Helper()
	api := httptest.NewServer(endpoint)
	t.Cleanup(api.Close)
	conn, err := dial(t, graphql.Settings{URL: api.URL, Spec: answers.File(t, "schema.graphql", schema)})
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestVendors: a schema may use scalars and directives that it does not define.
func TestVendors(t *testing.T) {
	conn := served(t, `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])
extend type Query @aws_api_key { me(at: AWSDateTime!, filter: Missing): User @cacheControl(maxAge: 10)  _service: _Service! }
type User @key(fields: "id") @aws_auth { id: ID! @external  email: AWSEmail  gone: Lost }
extend type User { age: Int @shareable }
type Mutation { rename(name: String, old: String @deprecated(reason: "no"), in: Name): User }
input Name { first: String  last: String @deprecated }
`, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_ = json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"me": map[string]string{"email": string(body)}}})
	})
	tools, err := conn.ListTools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		want := map[string]string{
			"me":     `the default is { id email gone age }`,
			"rename": `"old":{"anyOf":[{"type":"string"},{"type":"null"}],"description":"Deprecated."}`,
		}[tool.Name]
		if !strings.Contains(string(tool.InputSchema), want) {
			t.Errorf("%s: %s; want %s", tool.Name, tool.InputSchema, want)
		}
	}
	if got, err := answers.Of(t, conn, "me", `{"at": "2025-01-01"}`); err != nil || !strings.Contains(got, `$at: AWSDateTime!`) {
		t.Errorf("the call sends %s, %v", got, err)
	}
}

// TestDeprecatedInputs: deprecated inputs are requested if the endpoint supports that.
func TestDeprecatedInputs(t *testing.T) {
	for _, knows := range []bool{true, false} {
		api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			all, old := strings.Contains(string(body), "args(includeDeprecated: true) {"), ""
			switch {
			case all && !knows:
				_, _ = io.WriteString(w, `{"errors": [{"message": "Unknown argument \"includeDeprecated\" on field \"args\"."}]}`)
				return
			case all:
				old = `, {"name": "sku", "isDeprecated": true, "description": "d", "type": {"kind": "SCALAR", "name": "String"}}`
			}
			_, _ = io.WriteString(w, `{"data": {"__schema": {"queryType": {"name": "Q"}, "types": [{"kind": "OBJECT", "name": "Q", "fields": [
				{"name": "q", "args": [{"name": "id", "type": {"kind": "SCALAR", "name": "ID"}}`+old+`], "type": {"kind": "SCALAR", "name": "Int"}}]}]}}}`)
		}))
		conn, err := dial(t, graphql.Settings{URL: api.URL})
		if err != nil {
			t.Fatal(err)
		}
		tools, err := conn.ListTools(t.Context())
		if err != nil || !strings.Contains(string(tools[0].InputSchema), `"id":`) || strings.Contains(string(tools[0].InputSchema), `"description":"Deprecated. d"`) != knows {
			t.Errorf("an endpoint that knows it: %t: %s, %v", knows, tools[0].InputSchema, err)
		}
		api.Close()
	}
}

// TestErrors checks what an error contains besides its message.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		body   string
		want   []string
	}{
		{"partial data", 200, `{"data": {"q": {"a": 1, "b": null}}, "errors": [{"message": "no b", "path": ["q", "b"], "extensions": {"code": "SCOPES"}}]}`,
			[]string{`"text":"no b (at q.b)"`, `"structuredContent":{"data":{"q":{"a":1,"b":null}},"errors":[{"message":"no b","path":["q","b"],"extensions":{"code":"SCOPES"}}]}`}},
		{"a status", 401, `{"message": "Bad credentials"}`, []string{`"toolscript/status":401`, `Bad credentials`, `check \"auth\" of the server`}},
		{"a status with errors", 400, `{"errors": [{"message": "no such field"}]}`, []string{`"toolscript/status":400`, `no such field`}},
		{"a status with data", 500, `{"data": {"q": null}}`, []string{`"toolscript/status":500`, "without GraphQL"}},
		{"a page", 200, "\n<!DOCTYPE html><html><head><title>Log in\n &amp; go</title></head><body>Password</body></html>", []string{`"toolscript/status":200`,
			`the endpoint answered 200 OK with a page called \"Log in & go\", without GraphQL; it may be that of a login; the request was sent: <!DOCTYPE html>`, `Password`, `"isError":true`}},
		{"a page without a title", 404, "<html>gone", []string{`"toolscript/status":404`, `answered 404 Not Found with a page, without GraphQL`}},
		{"many errors", 200, `{"data": {"q": {"a": 1}}, "errors": [{"message": "m", "extensions": {"x": "` + strings.Repeat("x", 70<<10) + `"}}]}`, []string{`"text":"m"`, `"structuredContent":{"data":{"q":{"a":1}}}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := served(t, `type Query { q: Int }`, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			got, err := answers.Of(t, conn, "q", `{}`)
			for _, want := range c.want {
				if err != nil || !strings.Contains(got, want) {
					t.Errorf("got %s, %v; want %s", got, err, want)
				}
			}
		})
	}
}

// TestThrottled: a throttled query is sent again, a throttled mutation is not.
func TestThrottled(t *testing.T) {
	const slow, shopify = `{"message": "slow down"}`, `{"errors": [{"message": "Throttled", "extensions": {"code": "THROTTLED", "cost": {"requestedQueryCost": 150, "throttleStatus": {"currentlyAvailable": 50, "restoreRate": 50}}}}]}`
	for _, c := range []struct {
		name, tool string
		status     int
		after      string // value of Retry-After
		body       string
		times      int // how often the endpoint refuses
		wait       time.Duration
		sent       toolscript.Sent
	}{
		{"429 once", "q", 429, "0", slow, 1, -1, ""},
		{"throttled once", "q", 200, "0", `{"data": null, "errors": [{"message": "wait", "type": "RATE_LIMITED"}]}`, 1, -1, ""},
		{"429 for an hour", "q", 429, "3600", slow, 9, time.Hour, toolscript.SentNo},
		{"503 for an hour", "q", 503, "3600", slow, 9, time.Hour, toolscript.SentUnknown},
		{"429 again and again", "q", 429, "0", slow, 9, 0, toolscript.SentNo},
		{"a field without a value", "q", 200, "0", `{"data": {"q": null}, "errors": [{"message": "wait", "extensions": {"code": "THROTTLED"}}]}`, 9, 0, toolscript.SentNo},
		{"the status of an error", "q", 200, "0", `{"data": null, "errors": [{"message": "wait", "extensions": {"code": 7, "http": {"status": 429}}}]}`, 9, 0, toolscript.SentNo},
		{"a status as code", "q", 200, "0", `{"errors": [{"message": "wait", "extensions": {"code": "429"}}]}`, 1, -1, ""},
		{"a mutation", "m", 200, "", shopify, 9, 2 * time.Second, toolscript.SentNo},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			conn := served(t, `type Query { q: Int } type Mutation { m: Int }`, func(w http.ResponseWriter, _ *http.Request) {
				if asked++; asked > c.times {
					_, _ = io.WriteString(w, `{"data": {"q": 7, "m": 7}}`)
					return
				}
				if c.after != "" {
					w.Header().Set("Retry-After", c.after)
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			got, err := answers.Of(t, conn, c.tool, `{}`)
			var e *toolscript.Error
			var r *upstream.Refusal
			switch {
			case c.wait < 0:
				if err != nil || !strings.Contains(got, `"structuredContent":7`) || asked != c.times+1 {
					t.Errorf("got %s, %v after %d requests", got, err, asked)
				}
			case !errors.As(err, &e) || e.Kind != toolscript.Busy || e.RetryAfter != c.wait || e.Sent != c.sent:
				t.Errorf("error %+v, want busy for %s, sent %s", err, c.wait, c.sent)
			case c.tool == "m" && asked != 1:
				t.Errorf("a mutation was sent %d times", asked)
			case !errors.As(err, &r) || c.status != 200 && r.Status != c.status || c.status == 200 && r.Structured["errors"] == nil:
				t.Errorf("the error says %+v about the answer", r)
			}
		})
	}
}

// TestSelectionOfMutations: without select, a mutation runs only itself.
func TestSelectionOfMutations(t *testing.T) {
	const types = `
type Order { id: ID  price(in: String): Int  notify(to: String): Boolean }
type OrderMutations { cancelAll: Boolean  close: Order }
type UserMutations { deleteAll: Boolean }
type UserMutation { deleteAll: Boolean }
type AccountOps { wipe: Boolean }
type AdminMutationNamespace { wipe: Boolean }
type HTTPMutationGroup { wipe: Boolean }
type user_mutations { wipe: Boolean }
type CreateOrderMutation { ok: Boolean  order: Order  more: CreateOrderMutation }
type CreateOrderPayload { order: Order  userErrors: [Problem!]! }
type Problem { message: String }
type Permutation { a: Int  kind: MutationKind }
enum MutationKind { A }
type orders_mutation_response { affected_rows: Int }
interface Ops { wipe: Boolean }
type Payload { id: ID  more: Mutation  orders: OrderMutations  admin: AdminMutationNamespace  as: Permutation }
type Query { order(id: ID): Order }
`
	for _, c := range [][2]string{
		{`close(id: ID): Order`, "{ id }"},
		{`createOrder(id: ID): CreateOrderMutation`, "{ ok order { id } }"},
		{`createOrder(id: ID): CreateOrderPayload`, "{ order { id } userErrors { message } }"},
		{`again(id: ID): Payload`, "{ id as { a kind } }"},
		{`insert_orders(id: ID): orders_mutation_response`, "{ affected_rows }"},
		{`all: [Order!]`, "{ id }"},

		{`orders: OrderMutations`, "{ __typename }"},
		{`user: UserMutations`, "{ __typename }"},
		{`user(id: ID): UserMutations`, "{ __typename }"},
		{`user: UserMutation!`, "{ __typename }"},
		{`users: [UserMutations]`, "{ __typename }"},
		{`account: AccountOps`, "{ __typename }"},
		{`account: Ops`, "{ __typename }"},
		{`admin: AdminMutationNamespace`, "{ __typename }"},
		{`admin(id: ID): AdminMutationNamespace`, "{ __typename }"},
		{`mut(id: ID): HTTPMutationGroup`, "{ __typename }"},
		{`user(id: ID): user_mutations`, "{ __typename }"},
		{`self(id: ID): Mutation`, "{ __typename }"},
	} {
		t.Run(c[0], func(t *testing.T) {
			conn := served(t, types+"type Mutation { "+c[0]+" }", func(http.ResponseWriter, *http.Request) {})
			tools, err := conn.ListTools(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if order, mutation := string(tools[0].InputSchema), string(tools[1].InputSchema); !strings.Contains(order, `the default is { id price notify }"`) || !strings.Contains(mutation, "the default is "+c[1]+`"`) {
				t.Errorf("the query: %s; the mutation: %s, want %s", order, mutation, c[1])
			}
		})
	}
}

// dialLogged is like dial, and also returns the log of the server.
func dialLogged(t *testing.T, s graphql.Settings) (tools map[string]string, log string, err error) {
	t.Helper()
	conn, err := answers.Open(t, graphql.Dialer{}.Dial, s, upstream.Config{}, upstream.Events{
		Log: func(level slog.Level, text string) { log += level.String() + " " + text + "\n" },
	})
	if err != nil {
		return nil, log, err
	}
	listed, err := conn.ListTools(t.Context())
	tools = map[string]string{}
	for _, tool := range listed {
		tools[tool.Name] = string(tool.InputSchema)
	}
	return tools, log, err
}

// TestMistakesInSchemas: a mistake in a schema removes at most one tool, and is logged.
func TestMistakesInSchemas(t *testing.T) {
	const good = `
"""
a "good" type: \""" type Foo {
"""
type Query {
  "one { " # two }
  good(
    id: ID = "}"
  ): Good @cost(a: [1])
  x(in: Y, e: E): Foo
}
# type Foo {}
type Good { id: ID, name: String }
`
	for _, c := range []struct {
		name, text, log string
		want            map[string]string // parts of the arguments' schemas by tool; "" if there is no tool
	}{
		{"an empty type", good + `type Foo {}`, "line 14: type Foo: the invalid part is left out: expected at least one definition", map[string]string{"x": "{ __typename }"}},
		{"an empty type in a line", `type Foo {} type Query { good: Good, x: Foo } type Good { id: ID, name: String }`, "line 1: type Foo", map[string]string{"x": "{ __typename }"}},
		{"an empty input", good + `input Y {}`, "line 14: input Y", map[string]string{"x": `"in":{"description":"a value of the scalar Y"}`}},
		{"an empty enum", good + `enum E {}`, "line 14: enum E", map[string]string{"x": `"e":{"description":"a value of the scalar E"}`}},
		{"an empty union", good + `union Foo =`, "line 14: union Foo", map[string]string{"x": "{ __typename }"}},
		{"two interfaces with a comma", good + "type Foo implements N, M { a: Int }", "line 14: type Foo", map[string]string{"x": "{ a }"}},
		{"a directive", good + "directive @d on NOWHERE\ntype Foo { a: Int }", "line 14: directive @d", map[string]string{"x": "{ a }"}},
		{"a field without a type", good + "type Foo { a: Int  b:  c: Int }", "line 14: type Foo", map[string]string{"x": "{ a c }"}},
		{"a field without a colon", good + "type Foo {\n  a: Int\n  b String\n  \"d\"\n  c(x: Int): Int\n}", "line 16: type Foo", map[string]string{"x": "{ a c }"}},
		{"an open list of arguments", good + "type Foo {\n  a: Int\n  b(x: Int: String\n  c: Int\n}", "line 16: type Foo", map[string]string{"x": "{ a c }"}},
		{"a type without its end", "type Foo {\n  a: Int\n" + good, "type Foo: the invalid part", map[string]string{"x": "{ a }"}},
		{"a character", good + "type Foo { a: Int }\n%", "line 15: ", map[string]string{"x": "{ a }"}},
		{"words", "hello\n" + good + "type Foo { a: Int }", "line 1: hello", map[string]string{"x": "{ a }"}},
		{"an open string", good + "type Foo { a: Int }\n\"\"\"\ntype Bar { a: Int }", "line 16: type Bar", map[string]string{"x": "{ a }"}},
		{"a query", good + "type Foo { a: Int }\nextend type Query {\n  bad(: Int\n  more: Int\n}", "line 16: extend type Query", map[string]string{"x": "{ a }", "bad": "", "more": "properties"}},
		{"no definition of a type", good + "type Foo { a: Lost, b: [Gone!]! }", "values of these types may be anything, because the schema does not define them: E, Gone, Lost, Y", map[string]string{"x": "{ a b }"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tools, log, err := dialLogged(t, graphql.Settings{URL: "http://127.0.0.1:1/", Spec: answers.File(t, "schema.graphql", c.text)})
			if err != nil || !strings.Contains(tools["good"], "{ id name }") || !strings.Contains(log, "WARN ") || !strings.Contains(log, c.log) {
				t.Errorf("%v, %v; the log is %s; want %s", tools, err, log, c.log)
			}
			for name, part := range c.want {
				if in, is := tools[name]; is == (part == "") || !strings.Contains(in, part) {
					t.Errorf("%s: %s; want %s", name, in, part)
				}
			}
		})
	}
	if _, _, err := dialLogged(t, graphql.Settings{URL: "http://127.0.0.1:1/", Spec: answers.File(t, "schema.graphql", "<html>")}); toolscript.KindOf(err) != toolscript.Invalid || !strings.Contains(err.Error(), "Unexpected") {
		t.Errorf("a text that is no schema: %v", err)
	}
}

// TestMistakesInIntrospections: a mistake in an introspection result removes at most one tool.
func TestMistakesInIntrospections(t *testing.T) {
	const integer = `"type": {"kind": "SCALAR", "name": "Int"}`
	for _, c := range []struct{ name, types, x string }{
		{"the fields of a type", `{"kind": "OBJECT", "name": "Foo", "fields": 7}`, "{ __typename }"},
		{"a field of a type", `{"kind": "OBJECT", "name": "Foo", "fields": [{"name": "a", ` + integer + `}, {"name": 7, ` + integer + `}, {"name": "b", "args": 7, ` + integer + `}]}`, "the default is { a }"},
		{"the description of a type", `{"kind": "OBJECT", "name": "Foo", "description": 7, "fields": [{"name": "a", ` + integer + `}]}`, "the default is { a }"},
		{"a field of an input object", `{"kind": "INPUT_OBJECT", "name": "Y", "inputFields": [{"name": "a", ` + integer + `}, {"name": true}]}`, `"in":{"description":"a value of the scalar Y"}`},
		{"the name of a type", `{"kind": "OBJECT", "name": 7}`, `"in":`},
		{"a type", `"Foo"`, `"in":`},
		{"the type of an operation", `{"kind": "OBJECT", "name": "Q", "fields": [{"name": "good", "args": [], ` + integer + `}, {"name": "x", "args": [{"name": "in", ` + integer + `}], ` + integer + `}, {"name": "bad", "type": 7}]}`, `"in":`},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, `{"data": {"__schema": {"queryType": {"name": "Q"}, "mutationType": null, "types": [{"kind": "OBJECT", "name": "Q", "fields": [{"name": "good", "args": [], `+integer+`},
					{"name": "x", "args": [{"name": "in", "type": {"kind": "INPUT_OBJECT", "name": "Y"}}], "type": {"kind": "OBJECT", "name": "Foo"}}]}, `+c.types+`]}}}`)
			}))
			defer api.Close()
			tools, log, err := dialLogged(t, graphql.Settings{URL: api.URL})
			if err != nil || len(tools) != 2 || tools["good"] == "" || !strings.Contains(tools["x"], c.x) || !strings.Contains(log, "WARN the schema: ") || !strings.Contains(log, "the invalid part is left out: json: cannot unmarshal") {
				t.Errorf("%v, %v; the log is %s; want %s", tools, err, log, c.x)
			}
		})
	}
}
