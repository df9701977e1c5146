package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
)

func TestSearch(t *testing.T) {
	zero, half := 0.0, 0.5
	var asked toolscript.SearchQuery
	l := serve(t, &fake{search: func(q toolscript.SearchQuery) (toolscript.SearchAnswer, error) {
		asked = q
		return toolscript.SearchAnswer{Query: q.Text, TotalResults: 0, Threshold: 0.35, Mode: "lexical", State: "lexical"}, nil
	}})
	for path, want := range map[string]toolscript.SearchQuery{
		"/search?q=read+a+file":           {Text: "read a file"},
		"/search?q=x&limit=7&threshold=0": {Text: "x", Limit: 7, Threshold: &zero},
		"/search?q=%20x%20&server=a,b&readOnly=true&types=1&threshold=0.5": {
			Text: "x", Threshold: &half, Servers: []string{"a", "b"}, ReadOnly: true, Types: true,
		},
	} {
		got := l.ask(t, http.MethodGet, path, "")
		wantBody := `{"query":"` + want.Text + `","results":[],"totalResults":0,"threshold":0.35,"mode":"lexical","state":"lexical"}`
		if got.status != 200 || strings.TrimSpace(got.body) != wantBody {
			t.Errorf("GET %s = %d %s, want %s", path, got.status, got.body, wantBody)
		}
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Errorf("GET %s asks (-want +got):\n%s", path, diff)
		}
		asked = toolscript.SearchQuery{}
		if _, err := l.client(t).Search(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Errorf("the client asks (-want +got):\n%s", diff)
		}
	}
}

func TestRefusals(t *testing.T) {
	l := serve(t, &fake{})
	for path, says := range map[string]string{
		"/search":                   "'q'",
		"/search?q=":                "'q'",
		"/search?q=%20":             "'q'",
		"/search?q=x&limit=0":       `parameter \"limit\"`,
		"/search?q=x&limit=-3":      `parameter \"limit\"`,
		"/search?q=x&limit=two":     `parameter \"limit\"`,
		"/search?q=x&threshold=low": `parameter \"threshold\"`,
		"/search?q=x&readOnly=so":   `parameter \"readOnly\"`,
		"/search?q=x&types=so":      `parameter \"types\"`,
		"/search?q=x&lmit=1":        ` \"limit\"`,
		"/search?q=x&q=y":           `\"q\"`,
	} {
		if got := l.ask(t, http.MethodGet, path, ""); got.status != 400 || !strings.Contains(got.body, says) {
			t.Errorf("GET %s = %d %s, want 400 with %s", path, got.status, got.body, says)
		}
	}
}

func TestStats(t *testing.T) {
	stats := toolscript.SearchStats{
		ToolsIndexed: 20, CachedEmbeddings: 3, Model: "m", SemanticAvailable: true, CacheHitRate: 0.5,
		SearchStatus: toolscript.SearchStatus{Ready: true, Semantic: true, State: "indexing 3/20"},
		Generation:   4, ModelLoaded: true, IndexingMs: 12, Queries: 9,
	}
	l := serve(t, &fake{stats: stats})
	got, err := l.client(t).SearchStats(t.Context())
	if diff := cmp.Diff(stats, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got := l.ask(t, http.MethodGet, "/search/stats", ""); !strings.HasPrefix(got.body,
		`{"toolsIndexed":20,"cachedEmbeddings":3,"model":"m","semanticAvailable":true,"cacheHitRate":0.5,`) {
		t.Errorf("GET /search/stats = %s", got.body)
	}
}

func TestDescribe(t *testing.T) {
	l := serve(t, &fake{})
	for _, name := range []string{"demo__echo", "tools.demo.echo", "a/b__c d"} {
		if got, err := l.client(t).Describe(t.Context(), name); err != nil || got.ToolID != name {
			t.Errorf("Describe(%q) = %q, %v", name, got.ToolID, err)
		}
	}
	if _, err := l.client(t).Describe(t.Context(), "nobody"); toolscript.KindOf(err) != toolscript.NotFound {
		t.Errorf("nobody: %v", err)
	}
}
