package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/api"
)

func shutdown(t *testing.T, l *live, within time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	return l.Shutdown(ctx)
}

// TestShutdownWithIdleConnections: Shutdown does not wait for idle connections, as fasthttp would.
func TestShutdownWithIdleConnections(t *testing.T) {
	l := serve(t, &fake{})
	conns := map[string]net.Conn{}
	for name, begun := range map[string]string{
		"silent":            "",
		"in a request line": "GET /he",
		"in a body":         "POST /exec HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
		"kept alive":        "GET /health HTTP/1.1\r\nHost: " + l.address() + "\r\n\r\n",
	} {
		conns[name] = l.dial(t)
		if _, err := io.WriteString(conns[name], begun); err != nil {
			t.Fatal(err)
		}
	}
	readAnswer(t, conns["kept alive"])
	l.ask(t, http.MethodGet, "/health", "") // connections are accepted in order, so all of them are accepted by now
	if err := shutdown(t, l, kit.Patience); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	for name, conn := range conns {
		if _, err := io.Copy(io.Discard, conn); isTimeout(err) {
			t.Errorf("the %s connection is still open", name)
		}
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// TestShutdownCancelsCalls: Shutdown cancels calls, and their clients get an answer.
func TestShutdownCancelsCalls(t *testing.T) {
	begun := make(chan struct{})
	l := serve(t, &fake{callTool: func(ctx context.Context, _ toolscript.Call) (json.RawMessage, error) {
		close(begun)
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}})
	answers := make(chan answer, 1)
	go func() { answers <- l.ask(t, http.MethodPost, "/tools/a__b", "{}") }()
	kit.Receive(t, begun)
	if err := shutdown(t, l, kit.Patience); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	if got := kit.Receive(t, answers); got.status != 503 || got.kind() != toolscript.Unavailable {
		t.Errorf("the call under way = %d %s, want 503 unavailable", got.status, got.body)
	}
	if _, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.address()); err == nil {
		t.Error("the port still answers after Shutdown")
	}
}

// TestShutdownEndsStreams: each stream ends with the end event of its run.
func TestShutdownEndsStreams(t *testing.T) {
	l := serve(t, &fake{exec: func(ctx context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
		if err := emit(start("r1")); err != nil {
			return err
		}
		<-ctx.Done()
		return emit(toolscript.EndEvent("r1", toolscript.End{Kind: toolscript.KindOf(context.Cause(ctx)), ExitCode: 1}))
	}})
	r, _ := l.stream(t)
	readLine(t, r)
	if err := shutdown(t, l, kit.Patience); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	if last := readLine(t, r); !strings.Contains(last, `"kind":"unavailable"`) {
		t.Errorf("last line = %s, want the end of the run", last)
	}
}

// TestShutdownIsBounded: Shutdown does not wait for a Backend that ignores the end of its context.
func TestShutdownIsBounded(t *testing.T) {
	var (
		begun   = make(chan struct{}, 2)
		release = make(chan struct{})
		served  = make(chan error, 1)
	)
	ln, err := api.Listen("", 0)
	if err != nil {
		t.Fatal(err)
	}
	srv, err := api.New(&fake{
		callTool: func(context.Context, toolscript.Call) (json.RawMessage, error) {
			begun <- struct{}{}
			<-release
			return json.RawMessage(`{}`), nil
		},
		exec: func(_ context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
			err := emit(start("r1"))
			begun <- struct{}{}
			<-release
			return err
		},
	}, api.Options{Listener: ln})
	if err != nil {
		t.Fatal(err)
	}
	go func() { served <- srv.Serve() }()
	c := api.NewClient(srv.URL())
	defer c.Close()
	failed := make(chan error, 2)
	go func() {
		_, err := c.CallTool(t.Context(), toolscript.Call{ID: "a__b"})
		failed <- err
	}()
	go func() {
		failed <- c.Exec(t.Context(), toolscript.ExecRequest{}, func(toolscript.Event) error { return nil })
	}()
	kit.Receive(t, begun)
	kit.Receive(t, begun)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := srv.Shutdown(ctx); err == nil || !strings.Contains(err.Error(), "were cut") {
		t.Errorf("Shutdown = %v, want that requests were cut", err)
	}
	for range 2 {
		if err := kit.Receive(t, failed); toolscript.KindOf(err) != toolscript.Unavailable {
			t.Errorf("a request that was cut = %v, want unavailable", err)
		}
	}
	close(release)
	if err := kit.Receive(t, served); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestShutdownBeforeServe(t *testing.T) {
	ln, err := api.Listen("", 0)
	if err != nil {
		t.Fatal(err)
	}
	srv, err := api.New(&fake{}, api.Options{Listener: ln})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := srv.Shutdown(t.Context()); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
	}
	if err := srv.Serve(); err != nil {
		t.Errorf("Serve after Shutdown: %v", err)
	}
}

// TestShutdownLeavesAClientThatDoesNotRead: a client that reads nothing delays neither its run nor Shutdown.
func TestShutdownLeavesAClientThatDoesNotRead(t *testing.T) {
	stuck, failed := make(chan struct{}), make(chan error, 1)
	tell := sync.OnceFunc(func() { close(stuck) })
	l := serve(t, &fake{exec: func(_ context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
		err := emit(start("r1"))
		for err == nil {
			waited := time.AfterFunc(100*time.Millisecond, tell)
			err = emit(toolscript.Event{Type: toolscript.EventStdout, Data: strings.Repeat("x", 1<<20)})
			waited.Stop()
		}
		failed <- err
		return nil
	}})
	conn := l.dial(t)
	request := "POST /" + l.token + "/exec HTTP/1.1\r\nHost: " + l.address() + "\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{\"code\":\"\"}"
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	kit.Receive(t, stuck)
	if err := shutdown(t, l, kit.Patience); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	if err := kit.Receive(t, failed); toolscript.KindOf(err) != toolscript.Cancelled {
		t.Errorf("emit = %v, want kind cancelled", err)
	}
}
