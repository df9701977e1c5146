package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
)

func TestHealth(t *testing.T) {
	for _, search := range []toolscript.SearchStatus{
		{State: "lexical"},
		{Ready: true, Semantic: true, State: "indexing 3/20"},
	} {
		l := serve(t, &fake{stats: toolscript.SearchStats{SearchStatus: search}})
		got := ask(t, http.MethodGet, l.BaseURL()+"/health", nil)
		want := fmt.Sprintf(`{"status":"ok","version":%q,"protocol":1,"search":{"ready":%t,"semantic":%t,"state":%q}}`,
			toolscript.Version, search.Ready, search.Semantic, search.State)
		if got.status != 200 || strings.TrimSpace(got.body) != want {
			t.Errorf("GET /health = %d %s, want %s", got.status, got.body, want)
		}
	}
}

// TestHealthDoesNotWait: a Backend that blocks does not block /health.
func TestHealthDoesNotWait(t *testing.T) {
	l := serve(t, &fake{servers: func(ctx context.Context) ([]toolscript.ServerStatus, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}})
	if got := ask(t, http.MethodGet, l.BaseURL()+"/health", nil); got.status != 200 {
		t.Errorf("GET /health = %d", got.status)
	}
}

func TestReady(t *testing.T) {
	servers := []toolscript.ServerStatus{
		{Name: "a", State: toolscript.Ready},
		{Name: "b", State: toolscript.Connecting},
		{Name: "c", State: toolscript.Backoff, Error: "refused"},
		{Name: "d", State: toolscript.Failed, Error: "no such command"},
		{Name: "e", State: toolscript.NeedsAuth},
		{Name: "f", State: toolscript.Connecting, Attempt: 2, Error: "refused"},
	}
	l := serve(t, &fake{servers: func(context.Context) ([]toolscript.ServerStatus, error) { return servers, nil }})
	got := l.ask(t, http.MethodGet, "/ready", "")
	want := `{"ready":false,"connected":1,"total":6,"waiting":["b"],"failed":[{"name":"c","error":"refused"},{"name":"d","error":"no such command"},{"name":"e","error":"needs_auth"},{"name":"f","error":"refused"}]}`
	if got.status != 503 || strings.TrimSpace(got.body) != want {
		t.Errorf("GET /ready = %d %s, want 503 %s", got.status, got.body, want)
	}
	servers = servers[:1]
	got = l.ask(t, http.MethodGet, "/ready", "")
	want = `{"ready":true,"connected":1,"total":1,"waiting":[],"failed":[]}`
	if got.status != 200 || strings.TrimSpace(got.body) != want {
		t.Errorf("GET /ready = %d %s, want 200 %s", got.status, got.body, want)
	}
}

// TestFailedServersAreSeen: /servers lists failed servers.
func TestFailedServersAreSeen(t *testing.T) {
	since := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	server := toolscript.ServerStatus{Name: "bad", Type: "stdio", State: toolscript.Failed, Settled: true, Since: since, Error: "no such command"}
	l := serve(t, &fake{
		servers: func(context.Context) ([]toolscript.ServerStatus, error) {
			return []toolscript.ServerStatus{server}, nil
		},
		status: func(context.Context) (toolscript.Status, error) {
			return toolscript.Status{Version: "1", PID: 7, Servers: []toolscript.ServerStatus{server}}, nil
		},
	})
	want := `{"name":"bad","type":"stdio","state":"failed","settled":true,"tools":0,"since":"2026-01-02T03:04:05Z","inFlight":0,"queued":0,"restarts":0,"error":"no such command"}`
	if got := l.ask(t, http.MethodGet, "/servers", ""); strings.TrimSpace(got.body) != "["+want+"]" {
		t.Errorf("GET /servers = %s, want [%s]", got.body, want)
	}
	want = strings.TrimSuffix(want, "}") + `,"lastError":"no such command"}`
	status := `{"version":"1","pid":7,"uptimeSeconds":0,"generation":0,"servers":[` + want + `],"search":{"toolsIndexed":0,"cachedEmbeddings":0,"model":"","semanticAvailable":false,"cacheHitRate":0,` +
		`"ready":false,"semantic":false,"state":"","generation":0,"modelLoaded":false,"failedEmbeddings":0,"indexingMs":0,"queries":0},"actors":[],"attention":[]}`
	if diff := cmp.Diff(status, strings.TrimSpace(l.ask(t, http.MethodGet, "/status", "").body)); diff != "" {
		t.Errorf("GET /status (-want +got):\n%s", diff)
	}
}

func TestListsAreNeverNull(t *testing.T) {
	l := serve(t, &fake{})
	for _, path := range []string{"/servers", "/tools", "/runs"} {
		if got := l.ask(t, http.MethodGet, path, ""); !strings.Contains(got.body, "[]") || strings.Contains(got.body, "null") {
			t.Errorf("GET %s = %q, want []", path, got.body)
		}
	}
}
