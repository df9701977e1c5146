package api_test

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/api"
)

// TestRunSeesAllowedToolsOnly: a run gets no information about tools that it may not call.
func TestRunSeesAllowedToolsOnly(t *testing.T) {
	var catalogTools []toolscript.Tool
	for _, server := range []string{"mine", "theirs"} {
		for _, name := range []string{"one", "two"} {
			catalogTools = append(catalogTools, toolscript.Tool{Server: server, Name: name})
		}
	}
	capability := api.NewToken()
	comments := regexp.MustCompile(`(?m)^//.*$`)
	for name, c := range map[string]struct {
		allow toolscript.Filter
		sees  []string
	}{
		"a server":  {toolscript.Filter{"mine"}, []string{"mine__one", "mine__two"}},
		"a tool":    {toolscript.Filter{"theirs__two"}, []string{"theirs__two"}},
		"nothing":   {toolscript.Filter{}, nil},
		"all there": {nil, []string{"mine__one", "mine__two", "theirs__one", "theirs__two"}},
	} {
		t.Run(name, func(t *testing.T) {
			backend := &fake{
				catalog: toolscript.NewCatalog(1, []string{"mine", "theirs"}, catalogTools),
				runOf:   map[string]string{capability: "r7"}, allow: c.allow,
				search: func(q toolscript.SearchQuery) (toolscript.SearchAnswer, error) {
					var a toolscript.SearchAnswer
					for _, tool := range catalogTools {
						if q.Allow.Match(tool) {
							a.Results = append(a.Results, toolscript.SearchHit{ToolID: tool.ID()})
						}
					}
					return a, nil
				},
			}
			backend.types = func(_ context.Context, f toolscript.Filter, _ bool) (toolscript.Module, error) {
				var text strings.Builder
				for _, tool := range backend.catalog.Filter(f).Tools() {
					text.WriteString(tool.ID() + "\n")
				}
				return toolscript.Module{Text: text.String()}, nil
			}
			l := serve(t, backend)
			get := func(path string) answer {
				return ask(t, http.MethodGet, l.BaseURL()+"/"+capability+path, nil)
			}
			lists := map[string]string{}
			for _, path := range []string{"/tools", "/search?q=x", "/runtime/tools.ts", "/runtime/tools.ts?filter=mine,theirs__two", "/types"} {
				lists[path] = comments.ReplaceAllString(get(path).body, "") // a comment repeats the unknown entries of the request
			}
			for _, tool := range catalogTools {
				id, may := tool.ID(), c.allow.Match(tool)
				for path, list := range lists {
					if filtered := strings.Contains(path, "filter") && id == "theirs__one"; strings.Contains(list, id) != (may && !filtered) {
						t.Errorf("GET %s: %s, want %v", path, list, c.sees)
					}
				}
				if got := get("/tools/" + id); (got.status == 200) != may {
					t.Errorf("GET /tools/%s = %d %s", id, got.status, got.body)
				}
			}
			for _, path := range []string{"/tools", "/types", "/runtime/tools.ts"} {
				body := get(path + "?filter=thiers__two").body
				if may := c.allow.Match(toolscript.Tool{Server: "theirs", Name: "two"}); strings.Contains(body, "theirs__two") != may {
					t.Errorf("GET %s suggests %s", path, body)
				}
			}
			want := map[bool]int{true: 404, false: 403}[c.allow == nil]
			if got := get("/tools/nobody"); got.status != want {
				t.Errorf("GET of a tool that is not there = %d %s, want %d", got.status, got.body, want)
			}
		})
	}
}
