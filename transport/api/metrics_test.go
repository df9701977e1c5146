package api_test

import (
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/api"
)

func TestMetrics(t *testing.T) {
	backend := &fake{measures: toolscript.Measures{Approvals: 3}}
	const want = "\ntoolscript_approvals_pending 3\n"
	l := serve(t, backend)
	own, err := api.ListenMetrics(backend.Measures, nil, 0, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = own.Close() })
	for _, tt := range []struct {
		name, url string
		header    http.Header
		host      string
		status    int
	}{
		{name: "with the capability", url: l.URL() + "/metrics", status: http.StatusOK},
		{name: "without", url: l.BaseURL() + "/metrics", status: http.StatusNotFound},
		{name: "on a port of its own", url: own.URL(), status: http.StatusOK},
		{name: "another path there", url: own.URL() + "/status", status: http.StatusNotFound},
		{name: "another name of the host", url: own.URL(), host: "evil.example.com", status: http.StatusForbidden},
		{name: "a page", url: own.URL(), header: http.Header{"Origin": {"http://evil.example.com"}}, status: http.StatusForbidden},
		{name: "an image of a page", url: own.URL(), header: http.Header{"Sec-Fetch-Site": {"cross-site"}}, status: http.StatusForbidden},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, tt.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = tt.host
		maps.Copy(request.Header, tt.header)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if response.StatusCode != tt.status || (tt.status == http.StatusOK) != strings.Contains(string(body), want) {
			t.Errorf("%s: status %d, want %d (%v)\n%.300s", tt.name, response.StatusCode, tt.status, err, body)
		}
		if got := response.Header.Get("Content-Type"); tt.status == http.StatusOK && !strings.HasPrefix(got, "text/plain; version=0.0.4") {
			t.Errorf("%s: Content-Type is %q", tt.name, got)
		}
	}
}

// TestHubHealth checks the answers of a hub's health and metrics port.
func TestHubHealth(t *testing.T) {
	backend := &fake{measures: toolscript.Measures{Approvals: 3}}
	var why error
	own, err := api.ListenMetrics(backend.Measures, func() error { return why }, 0, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = own.Close() })
	health := strings.TrimSuffix(own.URL(), "/metrics") + "/health"
	get := func(origin string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, health, nil)
		if err != nil {
			t.Fatal(err)
		}
		if origin != "" {
			request.Header.Set("Origin", origin)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(body)
	}
	if status, body := get(""); status != http.StatusOK || !strings.Contains(body, `"status":"ok"`) {
		t.Errorf("a hub that works: %d %s", status, body)
	}
	why = errors.New("no connection")
	if status, body := get(""); status != http.StatusServiceUnavailable || !strings.Contains(body, `"error":"no connection"`) {
		t.Errorf("a hub that does not: %d %s", status, body)
	}
	if status, _ := get("http://evil.example.com"); status != http.StatusForbidden {
		t.Errorf("a page: %d", status)
	}
}
