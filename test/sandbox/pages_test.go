package sandbox_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/transport/openapi"
	"github.com/toolscript/toolscript/transport/upstream"
)

// pagedAPI is an API that returns lists in pages and records its requests.
type pagedAPI struct {
	*httptest.Server
	mu       sync.Mutex
	requests []string
}

func (a *pagedAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	a.requests = append(a.requests, strings.TrimSpace(r.URL.RequestURI()+" "+r.Header.Get("Authorization")))
	a.mu.Unlock()
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	switch {
	case r.URL.Path == "/v1/gone":
		w.WriteHeader(http.StatusNoContent)
		return
	case r.URL.Path == "/v1/one":
		http.Error(w, "there is none", http.StatusNotFound)
		return
	case r.URL.Path == "/v1/items" && page < 2:
		w.Header().Set("Link", fmt.Sprintf(`</v1/items?page=0>; rel="first", <?state=%s&page=%d>; title="next, of 3"; rel="last next"`, r.URL.Query().Get("state"), page+1))
	case r.URL.Path == "/v1/loop":
		w.Header().Set("Link", fmt.Sprintf(`<?page=%d>; rel=next`, (page+1)%3))
	case r.URL.Path == "/v1/endless":
		w.Header().Set("Link", fmt.Sprintf(`<?page=%d>; rel=next`, page+1))
	case r.URL.Path == "/v1/elsewhere":
		w.Header().Set("Link", `<http://198.51.100.1/items>; rel=next`)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `[{"id":%d}]`, page)
}

func (a *pagedAPI) taken() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	requests := a.requests
	a.requests = nil
	return requests
}

// newPagedAPI starts the API and returns the configuration of a server for it.
func newPagedAPI(t *testing.T) (*pagedAPI, map[string]upstream.Config) {
	t.Helper()
	a := &pagedAPI{}
	a.Server = httptest.NewServer(a)
	t.Cleanup(a.Close)
	paths := map[string]any{}
	for name, result := range map[string]string{"items": "array", "loop": "array", "endless": "array", "elsewhere": "array", "one": "object"} {
		paths["/"+name] = json.RawMessage(`{"get": {"operationId": "` + name + `",
			"parameters": [{"name": "state", "in": "query", "schema": {"type": "string"}}],
			"responses": {"200": {"description": "d", "content": {"application/json": {"schema": {"type": "` + result + `"}}}}}}}`)
	}
	paths["/gone"] = json.RawMessage(`{"delete": {"operationId": "remove", "responses": {"204": {"description": "d"}}}}`)
	document, err := json.Marshal(map[string]any{"openapi": "3.0.0", "info": map[string]string{"title": "T", "version": "1"}, "paths": paths})
	if err != nil {
		t.Fatal(err)
	}
	spec := filepath.Join(folder(t), "openapi.json")
	if err := os.WriteFile(spec, document, 0o600); err != nil {
		t.Fatal(err)
	}
	settings, err := json.Marshal(openapi.Settings{Spec: spec, BaseURL: a.URL + "/v1", Auth: upstream.HTTPAuth{Type: "bearer", Token: "t0ken"}})
	if err != nil {
		t.Fatal(err)
	}
	return a, map[string]upstream.Config{"api": {Type: upstream.OpenAPI, API: settings, Timeout: time.Minute}}
}

// TestPages iterates over the pages of an API on both engines.
func TestPages(t *testing.T) {
	api, servers := newPagedAPI(t)
	g := newGatewayOf(t, actors.Approvals{}, servers)
	const caught = `.catch((e) => e.name + " " + e.code + ": " + e.message)`
	for _, c := range []struct {
		name, code string
		request    toolscript.ExecRequest
		want       string   // part of the result
		requests   []string // expected requests to the API
	}{
		{
			name: "to the end", code: `const ids: number[] = []; for await (const page of tools.api.items.pages({ state: "a b" })) ids.push(...page.map((i: any) => i.id)); return ids`,
			want: "value [0,1,2]\ncall api__items ok\ncall api__items ok\ncall api__items ok\n", requests: []string{"/v1/items?state=a%20b Bearer t0ken", "/v1/items?state=a%20b&page=1 Bearer t0ken", "/v1/items?state=a%20b&page=2 Bearer t0ken"},
		},
		{
			name: "break", code: `for await (const page of tools.api.endless.pages()) if ((page[0] as any).id === 1) break; return 1`,
			want: "value 1\ncall api__endless ok\ncall api__endless ok\n", requests: []string{"/v1/endless Bearer t0ken", "/v1/endless?page=1 Bearer t0ken"},
		},
		{
			name: "a loop", code: `const ids: any[] = []; return await (async () => { for await (const [item] of tools.api.loop.pages()) ids.push(item) })()` + caught + `.then((e) => [ids.length, e])`,
			want:     `value [4,"ToolError invalid_result: tools.api.loop.pages: the link after page 4 leads to a page that was read before"]`,
			requests: []string{"/v1/loop Bearer t0ken", "/v1/loop?page=1 Bearer t0ken", "/v1/loop?page=2 Bearer t0ken", "/v1/loop?page=0 Bearer t0ken"},
		},
		{
			name: "another origin", code: `return await tools.api.elsewhere.pages().next()` + caught,
			want:     `value "ToolError tool_failed: GET /elsewhere: the link to the next page leads to another origin, http://198.51.100.1, which is refused`,
			requests: []string{"/v1/elsewhere Bearer t0ken"},
		},
		{
			name: "the budget of calls", code: `for await (const page of tools.api.endless.pages());`, request: toolscript.ExecRequest{Limits: toolscript.Limits{ToolCalls: 2}},
			want: "ToolBudgetExceededError", requests: []string{"/v1/endless Bearer t0ken", "/v1/endless?page=1 Bearer t0ken"},
		},
		{
			name: "arguments that change", code: `const args = { state: "x" }; const ids: any[] = []; for await (const [item] of tools.api.items.pages(args)) { args.state = "y"; ids.push(item) } return ids.length`,
			want: "value 3\n", requests: []string{"/v1/items?state=x Bearer t0ken", "/v1/items?state=x&page=1 Bearer t0ken", "/v1/items?state=x&page=2 Bearer t0ken"},
		},
		{name: "not allowed", code: `return await tools.api.items.pages().next()` + caught, request: toolscript.ExecRequest{Rules: toolscript.Rules{Allow: toolscript.Filter{"api__one"}}}, want: `value "ToolError forbidden: `},
		{
			name: "a plan reads", code: `for await (const page of tools.api.items.pages()); return 1`, request: toolscript.ExecRequest{Rules: toolscript.Rules{Plan: true}},
			want: "value 1\n", requests: []string{"/v1/items Bearer t0ken", "/v1/items?state=&page=1 Bearer t0ken", "/v1/items?state=&page=2 Bearer t0ken"},
		},
		{
			name: "frozen in the script of an answer", code: `for await (const page of tools.api.endless.pages()) return [Object.isFrozen(page), Object.isFrozen(page[0])]`, request: toolscript.ExecRequest{Dialect: toolscript.DialectHarness},
			want: "value [true,true]\n", requests: []string{"/v1/endless Bearer t0ken"},
		},
		{
			name: "a status", code: `return await tools.api.one().catch((e) => [e.code, e.status, e.message])`,
			want: `value ["tool_failed",404,"GET /one: 404 Not Found: there is none"]`, requests: []string{"/v1/one Bearer t0ken"},
		},
		{name: "an answer without content", code: `return [await tools.api.remove()]`, want: "value [null]\n", requests: []string{"/v1/gone Bearer t0ken"}},
		{name: "a type error", code: `tools.api.one.pages()`, request: toolscript.ExecRequest{Rules: toolscript.Rules{Check: toolscript.CheckError}}, want: "Property 'pages' does not exist on type '(params?: ApiOneParams) => Promise<ApiOneResult>'"},
		{name: "a tool without pages", code: `(tools.api.one as any).pages()`, want: "TypeError: tools.api.one has no pages; call tools.api.one(…) itself"},
		{name: "a tool of an MCP server", code: `(tools.demo.echo as any).pages()`, want: "TypeError: tools.demo.echo has no pages"},
		{name: "arguments that are none", code: `(tools.api.items as any).pages([1])`, want: "TypeError: a tool's arguments are an object, not [ 1 ]"},
		{name: "wrong arguments", code: `return await (tools.api.items as any).pages({ stat: 1 }).next()` + caught, want: `value "ToolError invalid: api: the arguments do not fit the schema of api__items`},
		{name: "a page that a script has made up", code: `return await (tools.api.items as any)({ "toolscript/page": "http://127.0.0.1/secret" })` + caught, want: `value "ToolError tool_failed: this is not a page of this call`},
		{name: "a page of a tool without pages", code: `return await (tools.demo.echo as any)({ "toolscript/page": "" })` + caught, want: `value "ToolError invalid: demo__echo has no pages; call it without .pages`},
		{
			name: "a text that is like a page", code: `return await tools.api.items({ state: "toolscript/page" })`,
			want: `value [{"id":0}]`, requests: []string{"/v1/items?state=toolscript%2Fpage Bearer t0ken"},
		},
		{
			name: "a key", code: `const once = tools.$with({ idempotencyKey: crypto.randomUUID() }); const [a, b] = [await once.api.items({ state: "x" }), await once.api.items({ state: "x" })];
return [a, b, await once.api.items({ state: "y" })` + caught + `]`,
			want: `value [[{"id":0}],[{"id":0}],"ToolError invalid: `, requests: []string{"/v1/items?state=x Bearer t0ken"},
		},
		{name: "no page with a key", code: `return typeof (tools.$with({ idempotencyKey: "k" }).api.items as any).pages`, want: `value "undefined"`},
		{name: "a type error with a key", code: `tools.$with({ idempotencyKey: "k" }).api.items.pages()`, request: toolscript.ExecRequest{Rules: toolscript.Rules{Check: toolscript.CheckError}}, want: "Property 'pages' does not exist on type"},
		{name: "no page of a task", code: `return typeof (tools.spawn.api.items as any).pages`, want: `value "undefined"`},
		{
			name: "an iterator", code: `const pages = tools.api.items.pages(); const first = await pages.next(); await pages.return(); return [first, await pages.next()]`,
			want: `value [{"value":[{"id":0}],"done":false},{"done":true}]`, requests: []string{"/v1/items Bearer t0ken"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, engine := range engines {
				if c.request.Dialect != "" && engine != toolscript.EngineQuickJS {
					continue // scripts in answers of models run on QuickJS only
				}
				request := c.request
				request.Code, request.Engine = c.code, engine
				if request.Check == "" {
					request.Check = toolscript.CheckWarn
				}
				if got := g.exec(t, request, "").String(); !strings.Contains(got, c.want) {
					t.Errorf("on %s:\n%s\nwant %s", engine, got, c.want)
				}
				if diff := cmp.Diff(c.requests, api.taken()); diff != "" {
					t.Errorf("on %s: requests (-want +got):\n%s", engine, diff)
				}
			}
		})
	}
}
