package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/api"
	"github.com/toolscript/toolscript/transport/upstream"
)

// withProfiles adds two profiles, of which "few" applies to requests without a profile.
func withProfiles(f *fake) *fake {
	f.catalog = toolscript.NewCatalog(1, []string{"files", "github"}, []toolscript.Tool{
		{Server: "files", Name: "read"}, {Server: "files", Name: "write"}, {Server: "github", Name: "get"},
	})
	f.profiles = map[string]toolscript.Filter{"few": {"files__read"}, "all": {"*"}}
	f.profile = "few"
	return f
}

// TestProfileNarrowsEachRoute checks each route that shows or uses tools, with the configured
// profile, with another one, and with an unknown one.
func TestProfileNarrowsEachRoute(t *testing.T) {
	var searched toolscript.SearchQuery
	var fetched toolscript.FetchRequest
	var called context.Context
	f := withProfiles(&fake{
		search: func(q toolscript.SearchQuery) (toolscript.SearchAnswer, error) {
			searched = q
			return toolscript.SearchAnswer{}, nil
		},
		fetch: func(_ context.Context, o toolscript.FetchRequest) (json.RawMessage, error) {
			fetched = o
			return json.RawMessage(`{}`), nil
		},
		callTool: func(ctx context.Context, _ toolscript.Call) (json.RawMessage, error) {
			called = ctx //nolint:fatcontext // the test examines the context of the last call
			return json.RawMessage(`{"content":[]}`), nil
		},
		types: func(_ context.Context, f toolscript.Filter, _ bool) (toolscript.Module, error) {
			return toolscript.Module{Text: "// " + f.String()}, nil
		},
	})
	l := serve(t, f)
	for _, profile := range []string{"", "few", "all"} {
		query, want := "?", "files__read"
		if profile != "" {
			query += "profile=" + profile + "&"
		}
		wide := profile == "all"
		if wide {
			want = "files__read,files__write,github__get"
		}
		get := func(path string) answer {
			t.Helper()
			return ask(t, http.MethodGet, l.URL()+path, nil)
		}
		var tools api.Tools
		if err := json.Unmarshal([]byte(get("/tools"+query).body), &tools); err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, tool := range tools.Tools {
			ids = append(ids, tool.QualifiedName)
		}
		if got := strings.Join(ids, ","); got != want {
			t.Errorf("%q: GET /tools = %s, want %s", profile, got, want)
		}
		for _, path := range []string{"/types", "/runtime/tools.ts"} {
			if got := get(path + query).body; !strings.Contains(got, "// "+want) {
				t.Errorf("%q: GET %s = %s, want %s", profile, path, got, want)
			}
		}
		get("/search" + query + "q=read")
		if got := searched.Allow.Match(toolscript.Tool{Server: "files", Name: "write"}); got != wide {
			t.Errorf("%q: the search shows other tools: %v", profile, got)
		}
		get("/resources" + query)
		if got := fetched.Admits("github"); got != wide {
			t.Errorf("%q: resources of another server: %v", profile, got)
		}
		if got := get("/tools/files__write" + query); (got.status == http.StatusOK) != wide {
			t.Errorf("%q: GET /tools/files__write: %d %s", profile, got.status, got.body)
		}
		got := ask(t, http.MethodPost, l.URL()+"/tools/files__write"+query, strings.NewReader(`{}`))
		if (got.status == http.StatusOK) != wide || !wide && !strings.Contains(got.body, "the profile few does not have files__write") {
			t.Errorf("%q: POST /tools/files__write: %d %s", profile, got.status, got.body)
		}
		if got := ask(t, http.MethodPost, l.URL()+"/tools/files__read"+query, strings.NewReader(`{}`)); got.status != http.StatusOK {
			t.Errorf("%q: POST /tools/files__read: %d %s", profile, got.status, got.body)
		}
		if got := upstream.AllowOf(called).Match(toolscript.Tool{Server: "github", Name: "get"}); got != wide {
			t.Errorf("%q: a call reaches other tools: %v", profile, got)
		}
	}
	for _, path := range []string{"/tools", "/types", "/runtime/tools.ts", "/search?q=x", "/resources", "/prompts", "/tools/files__read"} {
		sign := "?"
		if strings.Contains(path, "?") {
			sign = "&"
		}
		if got := ask(t, http.MethodGet, l.URL()+path+sign+"profile=none", nil); got.status != http.StatusBadRequest {
			t.Errorf("GET %s with an unknown profile: %d %s", path, got.status, got.body)
		}
	}
}

// TestProfileOfARun checks that a run keeps its own filter, and that a profile can narrow it.
func TestProfileOfARun(t *testing.T) {
	run := api.NewToken()
	l := serve(t, withProfiles(&fake{runOf: map[string]string{run: "run_1"}, allow: toolscript.Filter{"github", "files__write"}}))
	for query, want := range map[string]int{"": 2, "?profile=all": 2, "?profile=few": 0} {
		var tools api.Tools
		got := ask(t, http.MethodGet, l.BaseURL()+"/"+run+"/tools"+query, nil)
		if err := json.Unmarshal([]byte(got.body), &tools); err != nil || len(tools.Tools) != want {
			t.Errorf("GET /tools%s of a run: %s, want %d tools", query, got.body, want)
		}
	}
}

// TestProfileReachesTheMCPServer checks the profile in the URL of an MCP client.
func TestProfileReachesTheMCPServer(t *testing.T) {
	l := serve(t, withProfiles(&fake{}), withMCP(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, r.URL.Query().Get("profile"))
	}))
	for query, want := range map[string]string{"": "few", "?profile=all": "all"} {
		if got := ask(t, http.MethodPost, l.URL()+"/mcp"+query, strings.NewReader(`{}`)); got.body != want {
			t.Errorf("POST /mcp%s: the profile is %q, want %q", query, got.body, want)
		}
	}
	for _, query := range []string{"?profile=none", "?profle=all"} {
		if got := ask(t, http.MethodPost, l.URL()+"/mcp"+query, strings.NewReader(`{}`)); got.status != http.StatusBadRequest {
			t.Errorf("POST /mcp%s: %d %s", query, got.status, got.body)
		}
	}
}

// TestClientSendsItsProfile checks each method of the client that concerns tools.
func TestClientSendsItsProfile(t *testing.T) {
	var ran toolscript.ExecRequest
	l := serve(t, withProfiles(&fake{exec: func(_ context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error {
		ran = req
		return emit(toolscript.EndEvent("run_1", toolscript.End{OK: true}))
	}}))
	c := api.NewClient(l.URL()).WithProfile("all")
	defer c.Close()
	if tools, err := c.Tools(t.Context(), nil, 0); err != nil || len(tools.Tools) != 3 {
		t.Errorf("Tools = %v, %v", tools, err)
	}
	if _, err := c.Describe(t.Context(), "files__write"); err != nil {
		t.Error(err)
	}
	if _, err := c.CallTool(t.Context(), toolscript.Call{ID: "files__write"}); err != nil {
		t.Error(err)
	}
	if err := c.Exec(t.Context(), toolscript.ExecRequest{Code: "1"}, func(toolscript.Event) error { return nil }); err != nil || ran.Profile != "all" {
		t.Errorf("Exec sends the profile %q, %v", ran.Profile, err)
	}
}
