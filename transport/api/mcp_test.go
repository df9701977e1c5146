package api_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/api"
)

func withMCP(h http.HandlerFunc) func(*api.Options) {
	return func(o *api.Options) { o.MCP = h }
}

// TestMCPRoute checks that the handler gets the whole request without the capability, and the
// client gets the whole answer.
func TestMCPRoute(t *testing.T) {
	l := serve(t, &fake{}, withMCP(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Mcp-Session-Id", "s")
		w.WriteHeader(http.StatusAccepted)
		_, _ = fmt.Fprintf(w, "%s %s %s %s %q", r.Method, r.URL.Path, r.Header.Get("Mcp-Protocol-Version"), body, r.Header.Get("Authorization"))
	}))
	for method, body := range map[string]string{http.MethodPost: `{"a": 1}`, http.MethodGet: "", http.MethodDelete: ""} {
		for _, url := range []string{l.URL(), l.BaseURL()} {
			got := ask(t, method, url+"/mcp", strings.NewReader(body), header("Mcp-Protocol-Version", "v"), header("Authorization", "Bearer "+l.token))
			if want := method + " /mcp v " + body + ` ""`; got.status != http.StatusAccepted || got.body != want || got.header.Get("Mcp-Session-Id") != "s" {
				t.Errorf("%s %s: %d %q %v, want %q", method, url, got.status, got.body, got.header, want)
			}
		}
	}
}

// TestMCPAccess checks that the route needs the user's capability, like other routes.
func TestMCPAccess(t *testing.T) {
	run := api.NewToken()
	handler := withMCP(func(http.ResponseWriter, *http.Request) { t.Error("the handler was called") })
	l := serve(t, &fake{runOf: map[string]string{run: "r1"}}, handler)
	for _, tt := range []struct {
		name, url string
		change    func(*http.Request)
		status    int
	}{
		{"no capability", l.BaseURL() + "/mcp", header("X", "y"), http.StatusNotFound},
		{"the capability of a run", l.BaseURL() + "/" + run + "/mcp", header("X", "y"), http.StatusForbidden},
		{"another origin", l.URL() + "/mcp", header("Origin", "http://example.com"), http.StatusForbidden},
		{"another host", l.URL() + "/mcp", header("Host", "example.com"), http.StatusForbidden},
		{"no JSON", l.URL() + "/mcp", header("Content-Type", "text/plain"), http.StatusUnsupportedMediaType},
	} {
		if got := ask(t, http.MethodPost, tt.url, strings.NewReader("{}"), tt.change); got.status != tt.status {
			t.Errorf("%s: %d %s, want %d", tt.name, got.status, got.body, tt.status)
		}
	}
	if got := serve(t, &fake{}).ask(t, http.MethodPost, "/mcp", "{}"); got.status != http.StatusNotFound {
		t.Errorf("without a handler: %d", got.status)
	}
}

// TestMCPStream checks that a flush sends the answer at once, even an empty one, and that the
// handler ends when its client disconnects.
func TestMCPStream(t *testing.T) {
	next, ended := make(chan string), make(chan error, 1)
	l := serve(t, &fake{}, withMCP(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		for {
			select {
			case text := <-next:
				_, _ = io.WriteString(w, text+"\n")
				w.(http.Flusher).Flush()
			case <-r.Context().Done():
				ended <- context.Cause(r.Context())
				return
			}
		}
	}))
	ctx, cancel := context.WithTimeout(t.Context(), kit.Patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, l.URL()+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck //nolint:errcheck // only read
	if got := response.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("content type %q", got)
	}
	lines := bufio.NewReader(response.Body)
	for _, text := range []string{"one", "two"} {
		next <- text
		if got, err := lines.ReadString('\n'); err != nil || got != text+"\n" {
			t.Errorf("line = %q, %v; want %q", got, err, text)
		}
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("the request has no cause")
	}
}

// TestMCPStreamEndsWithTheGateway checks that an open stream does not delay the shutdown of the
// gateway in serve.
func TestMCPStreamEndsWithTheGateway(t *testing.T) {
	begun := make(chan struct{})
	l := serve(t, &fake{}, withMCP(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		close(begun)
		<-r.Context().Done()
	}))
	response, err := http.Get(l.URL() + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	<-begun
	ctx, cancel := context.WithTimeout(t.Context(), kit.Patience)
	defer cancel()
	if err := l.Shutdown(ctx); err != nil {
		t.Errorf("Shutdown = %v", err)
	}
}

// TestMCPPanic checks that a panic of the handler fails only its request.
func TestMCPPanic(t *testing.T) {
	l := serve(t, &fake{}, withMCP(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.(http.Flusher).Flush()
		}
		panic("no")
	}))
	if got := l.ask(t, http.MethodPost, "/mcp", "{}"); got.status != http.StatusInternalServerError {
		t.Errorf("status %d: %s", got.status, got.body)
	}
	if got := l.ask(t, http.MethodGet, "/mcp", ""); got.status != http.StatusOK || got.body != "" {
		t.Errorf("status %d: %q", got.status, got.body)
	}
}
