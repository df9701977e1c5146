//go:build linux || darwin

package api_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
)

// TestDisconnectCancelsTheCall: a disconnect, which fasthttp does not report, cancels the call.
func TestDisconnectCancelsTheCall(t *testing.T) {
	begun, causes := make(chan struct{}), make(chan error, 1)
	l := serve(t, &fake{callTool: func(ctx context.Context, _ toolscript.Call) (json.RawMessage, error) {
		close(begun)
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return nil, ctx.Err() // without a cause: the gateway must add it
	}})
	conn := l.dial(t)
	request := "POST /" + l.token + "/tools/a__b HTTP/1.1\r\nHost: " + l.address() + "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	kit.Receive(t, begun)
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if err := kit.Receive(t, causes); toolscript.KindOf(err) != toolscript.Cancelled {
		t.Errorf("the call's context ended with %v, want kind cancelled", err)
	}
	line := l.log.line(t, "outcome", "cancelled")
	if line["status"] != 499.0 || line["tool"] != "a__b" {
		t.Errorf("log line = %v", line)
	}
}

// TestDisconnectEndsTheRun: a disconnect ends a run even if the run has no output.
func TestDisconnectEndsTheRun(t *testing.T) {
	begun, causes, emitted := make(chan struct{}), make(chan error, 1), make(chan error, 1)
	l := serve(t, &fake{exec: func(ctx context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
		if err := emit(start("r1")); err != nil {
			return err
		}
		close(begun)
		<-ctx.Done()
		causes <- context.Cause(ctx)
		emitted <- emit(toolscript.EndEvent("r1", toolscript.End{Kind: toolscript.Cancelled}))
		return nil
	}})
	_, cancel := l.stream(t)
	kit.Receive(t, begun)
	cancel()
	if err := kit.Receive(t, causes); toolscript.KindOf(err) != toolscript.Cancelled {
		t.Errorf("the run's context ended with %v, want kind cancelled", err)
	}
	if err := kit.Receive(t, emitted); toolscript.KindOf(err) != toolscript.Cancelled {
		t.Errorf("emit without a client = %v, want kind cancelled", err)
	}
	if line := l.log.line(t, "outcome", "cancelled"); line["run"] != "r1" {
		t.Errorf("log line = %v", line)
	}
}

// TestDisconnectEndsARunThatPrints: after a disconnect, emit returns an error to a run that
// writes without pause.
func TestDisconnectEndsARunThatPrints(t *testing.T) {
	failed := make(chan error, 1)
	l := serve(t, &fake{exec: func(_ context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
		err := emit(start("r1"))
		for err == nil {
			err = emit(toolscript.Event{Type: toolscript.EventStdout, Data: strings.Repeat("x", 1000)})
		}
		failed <- err
		return nil
	}})
	r, cancel := l.stream(t)
	for range 10 {
		readLine(t, r)
	}
	cancel()
	if err := kit.Receive(t, failed); toolscript.KindOf(err) != toolscript.Cancelled {
		t.Errorf("emit = %v, want kind cancelled", err)
	}
}

// TestDisconnectBeforeTheFirstEvent: a disconnect ends a run even if the answer has not begun.
func TestDisconnectBeforeTheFirstEvent(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan error, 1)
	l := serve(t, &fake{exec: func(ctx context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
		close(begun)
		<-ctx.Done()
		ended <- emit(start("r1"))
		return context.Cause(ctx)
	}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.URL()+"/exec", strings.NewReader(`{"code":""}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	go func() {
		kit.Receive(t, begun)
		cancel()
	}()
	if resp, err := (&http.Transport{}).RoundTrip(req); err == nil {
		_ = resp.Body.Close()
		t.Errorf("POST /exec = %d, want no answer", resp.StatusCode)
	}
	if err := kit.Receive(t, ended); toolscript.KindOf(err) != toolscript.Cancelled {
		t.Errorf("emit = %v, want kind cancelled", err)
	}
}
