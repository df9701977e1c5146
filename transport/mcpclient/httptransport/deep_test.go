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

	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
)

// The answer is sent as an event and as a body.
func TestAnAnswerThatNestsTooDeepFailsAtOnce(t *testing.T) {
	deep := strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)
	for name, format := range map[string]string{
		"text/event-stream": "data: %s\n\n", "application/json": "%s",
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPost {
					w.WriteHeader(http.StatusMethodNotAllowed)
					return
				}
				w.Header().Set("Content-Type", name)
				_, _ = fmt.Fprintf(w, format, `{"jsonrpc":"2.0","id":7,"result":{"a":`+deep+`}}`)
				if name == "text/event-stream" {
					_ = http.NewResponseController(w).Flush()
					_, _ = io.Copy(io.Discard, r.Body)
					<-r.Context().Done() // the stream stays open
				}
			}))
			defer server.Close()
			defer server.CloseClientConnections()
			way, err := httptransport.NewTransport()
			if err != nil {
				t.Fatal(err)
			}
			o := httptransport.Options{Client: httptransport.NewClient(way), Limit: 100_000, Log: func(slog.Level, string, ...any) {}}
			if o.URL, err = httptransport.ParseURL(server.URL + "/mcp"); err != nil {
				t.Fatal(err)
			}
			wire := httptransport.NewHTTP(o, func(string) {})
			defer wire.Close() //nolint:errcheck // the test has ended
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			response, err := wire.SendRequest(ctx, transport.JSONRPCRequest{
				JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(int64(7)), Method: "tools/call", Params: map[string]any{"name": "a"},
			})
			if ctx.Err() != nil {
				t.Fatalf("the call waited for its time limit: %v", err)
			}
			if err == nil && (response.Error == nil || !strings.Contains(response.Error.Message, "deeper than 10000 levels")) {
				t.Errorf("response %+v, want an error that names the levels", response)
			}
		})
	}
}
