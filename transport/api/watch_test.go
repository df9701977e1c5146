package api_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/api"
)

// faultyListener accepts connections on which the detection of disconnects panics.
type faultyListener struct{ net.Listener }

func (l faultyListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return faultyConn{c}, err
}

type faultyConn struct{ net.Conn }

func (faultyConn) SyscallConn() (syscall.RawConn, error) { panic("planted") }

// TestPanicOfTheWatchEndsItsRequest: such a panic ends only its own request.
func TestPanicOfTheWatchEndsItsRequest(t *testing.T) {
	l := serve(t, &fake{callTool: func(ctx context.Context, _ toolscript.Call) (json.RawMessage, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}}, func(o *api.Options) { o.Listener = faultyListener{o.Listener} })
	got := l.ask(t, http.MethodPost, "/tools/a__b", "{}")
	if got.status != 500 || got.kind() != toolscript.Internal {
		t.Errorf("the call = %d %s, want 500 internal", got.status, got.body)
	}
	line := l.log.line(t, "request", got.header.Get("X-Request-Id"))
	if stack, _ := line["stack"].(string); !strings.Contains(stack, "watch_test.go") {
		t.Errorf("log line = %v, want the stack of the panic", line)
	}
}
