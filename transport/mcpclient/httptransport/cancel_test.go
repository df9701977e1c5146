package httptransport_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
)

// cancelBound is the time after which a hanging test fails.
const cancelBound = 30 * time.Second

// overSSE is a server over HTTP+SSE. Its answer to a POST has no body. It answers only the
// request with id 2, on the stream, after release is closed.
type overSSE struct {
	events  chan string
	arrived chan struct{} // gets an entry when request 2 arrives
	release chan struct{}
}

func (s *overSSE) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "event: endpoint\ndata: /\n\n") //nolint:errcheck // a test server
		for {
			_ = http.NewResponseController(w).Flush()
			select {
			case e := <-s.events:
				fmt.Fprintf(w, "data: %s\n\n", e) //nolint:errcheck // a test server
			case <-r.Context().Done():
				return
			}
		}
	}
	var m struct{ ID int }
	if json.NewDecoder(r.Body).Decode(&m) == nil && m.ID == 2 {
		s.arrived <- struct{}{}
		<-s.release
		s.events <- `{"jsonrpc":"2.0","id":2,"result":{}}`
	}
	w.WriteHeader(http.StatusAccepted)
}

// net/http may reuse a connection before it considers the earlier request finished. Cancelling a
// message at that moment must not end the next one.
func TestCancelledMessageAndTheNextOneOnItsConnection(t *testing.T) {
	t.Parallel()
	far := &overSSE{make(chan string), make(chan struct{}, 1), make(chan struct{})}
	server := httptest.NewServer(far)
	defer server.Close()
	to, err := httptransport.ParseURL(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	way, err := httptransport.NewTransport()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), cancelBound)
	defer stop()
	s, err := httptransport.OpenSSE(ctx, httptransport.Options{
		URL: to, Client: httptransport.NewClient(way), Limit: 1000, Log: func(slog.Level, string, ...any) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test has ended

	next, ended := make(chan error, 1), make(chan error, 1)
	cancelled, cancel := context.WithCancel(ctx)
	offered := func(error) { // at this point, the first message is not finished
		go func() {
			_, err := s.SendRequest(ctx, transport.JSONRPCRequest{JSONRPC: "2.0", ID: mcp.NewRequestId(int64(2)), Method: "ping"})
			next <- err
		}()
		<-far.arrived
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the cancelled message: %v", err)
		}
		close(far.release)
	}
	traced := httptrace.WithClientTrace(cancelled, &httptrace.ClientTrace{PutIdleConn: offered})
	ended <- s.SendNotification(traced, mcp.JSONRPCNotification{
		JSONRPC: "2.0", Notification: mcp.Notification{Method: "notifications/progress"},
	})
	if err := <-next; err != nil {
		t.Errorf("the next request: %v", err)
	}
}
