package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
)

// TestPrefer: a request waits for a server that is not connected only if its Prefer header asks for that.
func TestPrefer(t *testing.T) {
	var wait time.Duration
	l := serve(t, &fake{
		callTool: func(_ context.Context, c toolscript.Call) (json.RawMessage, error) {
			wait = c.Wait
			return json.RawMessage(`{}`), nil
		},
	})
	for header, want := range map[string]time.Duration{
		"":                          0,
		"wait=7":                    7 * time.Second,
		"respond-async, Wait=7;x=y": 7 * time.Second,
		`wait="7"`:                  7 * time.Second,
		"wait=99999":                5 * time.Minute,
		"wait=soon":                 0,
		"wait=-1":                   0,
		"wait":                      0,
		"return=minimal":            0,
	} {
		wait = -1
		got := l.ask(t, http.MethodPost, "/tools/a__b", `{}`, func(r *http.Request) { r.Header.Set("Prefer", header) })
		if got.status != http.StatusOK || wait != want {
			t.Errorf("Prefer: %s = %d, and the call waits for %v, want %v", header, got.status, wait, want)
		}
		applied := got.header.Get("Preference-Applied")
		if (applied != "") != (want > 0) || want == 7*time.Second && applied != "wait=7" {
			t.Errorf("Prefer: %s has Preference-Applied: %s", header, applied)
		}
	}
}

// TestReloadVariables: GET returns the names of the variables, and POST sends their values.
func TestReloadVariables(t *testing.T) {
	var given map[string]string
	l := serve(t, &fake{
		variables: []string{"A", "B"},
		reload: func(_ context.Context, env map[string]string) (toolscript.Reload, error) {
			given = env
			return toolscript.Reload{}, nil
		},
	})
	if got := l.ask(t, http.MethodGet, "/reload", ""); got.status != http.StatusOK || got.body != "{\"variables\":[\"A\",\"B\"]}\n" {
		t.Errorf("GET /reload = %d %s", got.status, got.body)
	}
	if got := l.ask(t, http.MethodPost, "/reload", `{"env":{"A":"1"}}`); got.status != http.StatusOK || len(given) != 1 || given["A"] != "1" {
		t.Errorf("POST /reload = %d %s with %v", got.status, got.body, given)
	}
	if got := l.ask(t, http.MethodPost, "/reload", `{"environment":{}}`); got.status != http.StatusBadRequest {
		t.Errorf("POST /reload with an unknown field = %d %s", got.status, got.body)
	}
}
