package mcpclient

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// sentinel returns events and the log lines that arrive there.
func sentinel() (upstream.Events, <-chan string) {
	lines := make(chan string, 10)
	return upstream.Events{Log: func(_ slog.Level, text string) { lines <- text }}, lines
}

func TestPanicOfTheWatchEndsTheConnection(t *testing.T) {
	on, logged := sentinel()
	s := &stdio{calls: newCalls(on), on: on, pumped: make(chan struct{}), gone: make(chan struct{})} // without a process, so every access to it panics
	messages, fromServer := io.Pipe()
	go s.watch(fromServer)
	if _, err := messages.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("mcp-go reads %v, want EOF", err)
	}
	<-s.gone
	if !errors.Is(s.why, upstream.ErrFault) {
		t.Errorf("why = %v, want %v", s.why, upstream.ErrFault)
	}
	<-logged
}

func TestPanicOfThePumpEndsTheConnection(t *testing.T) {
	on, logged := sentinel()
	s := &stdio{calls: newCalls(on), on: on, pumped: make(chan struct{})}
	s.pump(nil)
	<-s.pumped
	if !errors.Is(s.broke, upstream.ErrFault) {
		t.Errorf("broke = %v, want %v", s.broke, upstream.ErrFault)
	}
	<-logged
}

// panicking is a standard input whose Write panics.
type panicking struct{ io.WriteCloser }

func (panicking) Write([]byte) (int, error) { panic("planted") }

func TestPanicOfAWriteEndsTheProcess(t *testing.T) {
	on, logged := sentinel()
	p, err := startProcess(upstream.Start{Args: []string{"cat"}, Env: os.Environ()}, "", &tail{}, on, nil)
	if err != nil {
		t.Skip(err) // this system has no cat
	}
	defer func() { _ = p.stdout.Close() }()
	box := newOutbox(panicking{p.stdin.to}, maxMessage)
	done := make(chan struct{})
	go func() { defer close(done); p.guard(on, box.run) }()
	if _, err := box.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	<-done
	<-logged
	<-box.broken
	<-p.exited
	if err := p.status(); toolscript.KindOf(err) != toolscript.Internal {
		t.Errorf("status = %v of kind %s, want kind internal", err, toolscript.KindOf(err))
	}
	if err := p.stdin.Close(); err != nil {
		t.Error(err)
	}
}

// faulty is a peer whose goroutines have panicked.
type faulty struct {
	peer
	ended chan struct{}
}

func (f faulty) transport() transport.Interface { return closedTransport{} }
func (f faulty) lost() <-chan struct{}          { return f.ended }
func (f faulty) reason() error                  { return upstream.ErrFault }

type closedTransport struct{ transport.Interface }

func (closedTransport) SendRequest(context.Context, transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	return nil, transport.ErrTransportClosed
}

func TestCallsOfAFaultyConnectionAreInternal(t *testing.T) {
	ended := make(chan struct{})
	close(ended)
	c := &Conn{name: "srv", calls: newCalls(upstream.Events{}), peer: faulty{ended: ended}}
	_, err := c.CallTool(t.Context(), "echo", nil, nil)
	var e *toolscript.Error
	if !errors.As(err, &e) || e.Kind != toolscript.Internal || e.Server != "srv" || e.Tool != "echo" {
		t.Errorf("CallTool = %v, want kind internal, of srv's echo", err)
	}
}

// Close takes less than the five seconds within which the gateway exits.
func TestCloseFitsIntoTheEndOfAGateway(t *testing.T) {
	if longest := closeExit + termExit + killExit + holdDelay + 2*lastOutput; longest >= 5*time.Second {
		t.Errorf("Close may take %v, want less than 5s", longest)
	}
}
