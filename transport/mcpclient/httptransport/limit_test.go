package httptransport_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
)

// TestAnAnswerOverTheLimitCostsOneCall requests answers below and above the limit on
// every transport, while another call is in flight.
func TestAnAnswerOverTheLimitCostsOneCall(t *testing.T) {
	for name, switches := range map[string][]string{"streams": nil, "bodies": {"json"}, "sse": nil} {
		t.Run(name, func(t *testing.T) {
			wire := open(t, name == "sse", switches...)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			call := func(id int64, tool string, args map[string]any) error {
				_, err := wire.SendRequest(ctx, transport.JSONRPCRequest{
					JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(id), Method: "tools/call",
					Params: map[string]any{"name": tool, "arguments": args},
				})
				return err
			}
			parallel := make(chan error, 1)
			go func() { parallel <- call(2, "sleep", map[string]any{"ms": 300}) }()
			if err := call(3, "big", map[string]any{"bytes": 200_000}); !errors.Is(err, httptransport.ErrTooLarge) {
				t.Errorf("over the limit: %v", err)
			}
			if err := call(4, "big", map[string]any{"bytes": 50_000}); err != nil {
				t.Errorf("under the limit: %v", err)
			}
			if err := <-parallel; err != nil {
				t.Errorf("a call parallel them: %v", err)
			}
		})
	}
}

// open connects to a server with the given switches and a limit of 100 kB.
func open(t *testing.T, sse bool, switches ...string) transport.Interface {
	t.Helper()
	server := httptest.NewServer(mcpserver.NewHTTP(switches...))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	way, err := httptransport.NewTransport()
	if err != nil {
		t.Fatal(err)
	}
	o := httptransport.Options{Client: httptransport.NewClient(way), Limit: 100_000, Log: func(slog.Level, string, ...any) {}}
	var wire transport.Interface
	if sse {
		if o.URL, err = httptransport.ParseURL(server.URL + "/sse"); err != nil {
			t.Fatal(err)
		}
		if wire, err = httptransport.OpenSSE(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	} else {
		if o.URL, err = httptransport.ParseURL(server.URL + "/mcp"); err != nil {
			t.Fatal(err)
		}
		wire = httptransport.NewHTTP(o, func(string) {})
	}
	t.Cleanup(func() {
		if err := wire.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	_, err = wire.SendRequest(t.Context(), transport.JSONRPCRequest{
		JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(int64(1)), Method: "initialize", Params: map[string]any{"protocolVersion": "2025-11-25"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return wire
}
