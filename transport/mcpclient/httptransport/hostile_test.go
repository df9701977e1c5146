package httptransport_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
)

// callOn connects to a server that answers a POST with the function serve, and begins the call with id 7.
func callOn(t *testing.T, answers *budget.Budget, serve http.HandlerFunc) (wire *httptransport.HTTP, call func(ctx context.Context) error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		serve(w, r)
	}))
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	way, err := httptransport.NewTransport()
	if err != nil {
		t.Fatal(err)
	}
	o := httptransport.Options{Client: httptransport.NewClient(way), Limit: 1 << 20, Log: func(slog.Level, string, ...any) {}, Answers: answers}
	if o.URL, err = httptransport.ParseURL(server.URL + "/mcp"); err != nil {
		t.Fatal(err)
	}
	wire = httptransport.NewHTTP(o, func(string) {})
	return wire, func(ctx context.Context) error {
		ctx, release := budget.Hold(ctx)
		defer release()
		_, err := wire.SendRequest(ctx, transport.JSONRPCRequest{
			JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(int64(7)), Method: "tools/call", Params: map[string]any{"name": "a"},
		})
		return err
	}
}

func event(w http.ResponseWriter, message string) {
	_, _ = fmt.Fprintf(w, "data: %s\n\n", message) // if the client has gone, the test fails by itself
	_ = http.NewResponseController(w).Flush()
}

// TestNotificationsCostNoMemory: large notifications on the stream of a call leave the memory to other calls.
func TestNotificationsCostNoMemory(t *testing.T) {
	const notifications = 40
	proceed, handled := make(chan struct{}), make(chan struct{}, notifications)
	answers := budget.New(func() int64 { return 4 << 20 })
	wire, call := callOn(t, answers, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range notifications {
			event(w, `{"jsonrpc":"2.0","method":"x","params":{"a":"`+strings.Repeat("a", 400_000)+`"}}`)
		}
		<-proceed
		event(w, `{"jsonrpc":"2.0","id":7,"result":{}}`)
	})
	defer wire.Close() //nolint:errcheck // the test has ended
	wire.SetNotificationHandler(func(mcp.JSONRPCNotification) { handled <- struct{}{} })
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- call(ctx) }()
	for range notifications {
		select {
		case <-handled:
		case err := <-ended:
			t.Fatal(err)
		}
	}
	other := answers.Lease(ctx)
	if err := other.Take(ctx, 3<<20); err != nil {
		t.Errorf("another call: %v", err)
	}
	other.Release()
	close(proceed)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestRefusalsAreBounded: a server that sends requests and does not take their answers costs a fixed number of connections.
func TestRefusalsAreBounded(t *testing.T) {
	const requests = 2000
	const most = 2 * httptransport.MaxServed
	answers, release := make(chan struct{}, requests), make(chan struct{})
	wire, call := callOn(t, nil, func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body) // of a client that has gone, the beginning is enough
		if !strings.Contains(string(text), "tools/call") {
			answers <- struct{}{}
			<-release
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range requests {
			event(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
		}
		event(w, `{"jsonrpc":"2.0","id":7,"result":{}}`)
	})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := call(ctx); err != nil {
		t.Error(err)
	}
	for range most {
		select {
		case <-answers:
		case <-ctx.Done():
			t.Fatal("fewer answers were sent")
		}
	}
	close(release)
	if err := wire.Close(); err != nil {
		t.Error(err)
	}
	if n := len(answers); n != 0 {
		t.Errorf("%d answers were sent, want %d", most+n, most)
	}
}
