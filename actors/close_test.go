package actors_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/transport/upstream"
)

func TestCloseAnswersAllCallsAndClosesConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := 0
		conn := newConn("up")
		conn.call = func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		conn.close = func() { time.Sleep(time.Second); closed++ }
		s := start(t, dialer{
			"up":   answers(conn, nil),
			"slow": after(time.Hour, answers(newConn("slow"), nil)),
			"down": answers(nil, errors.New("refused")),
		}, "up", "slow", "down")
		synctest.Wait()
		var calls sync.WaitGroup
		for range 10 {
			calls.Go(func() {
				if err := echo(t, s, "up"); !errors.Is(err, mailbox.ErrStopped) {
					t.Errorf("call in flight = %v, want %v", err, mailbox.ErrStopped)
				}
			})
		}
		calls.Go(func() {
			if _, pending := s.Await(t.Context(), nil); len(pending) != 2 {
				t.Errorf("Await = %q, want down and slow", pending)
			}
		})
		synctest.Wait()
		begin := time.Now()
		if err := s.Close(t.Context()); err != nil {
			t.Errorf("Close: %v", err)
		}
		if took := time.Since(begin); took != time.Second || closed != 1 {
			t.Errorf("took %v and closed %d connections, want 1s, the time of the one connection's Close", took, closed)
		}
		calls.Wait()

		if err := echo(t, s, "up"); !errors.Is(err, mailbox.ErrStopped) {
			t.Errorf("call after Close = %v", err)
		}
		if _, err := s.Types(t.Context(), nil, false); !errors.Is(err, mailbox.ErrStopped) {
			t.Errorf("Types after Close = %v", err)
		}
		if _, err := s.Status(t.Context()); !errors.Is(err, mailbox.ErrStopped) {
			t.Errorf("Status after Close = %v", err)
		}
		servers, err := s.Servers(t.Context())
		if err != nil || len(servers) != 3 || servers[0].State != toolscript.Stopped {
			t.Errorf("Servers after Close = %+v, %v", servers, err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Errorf("second Close: %v", err)
		}
	})
}

// TestCloseIsBounded checks that Close has a time limit for a connection that does
// not close, and returns an error.
func TestCloseIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		conn := newConn("up")
		conn.close = func() { <-release }
		s, err := actors.Start(actors.Options{
			Servers: map[string]upstream.Config{"up": {}},
			Dial:    dialer{"up": answers(conn, nil)}.dial,
		})
		if err != nil {
			t.Fatal(err)
		}
		settle(t, s)
		begin := time.Now()
		if err := s.Close(context.Background()); err == nil {
			t.Error("Close says nothing of the connection it left behind")
		}
		if took := time.Since(begin); took != 5*time.Second {
			t.Errorf("took %v, want 5s", took)
		}
	})
}

func TestCloseKeepsToItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := newConn("up")
		conn.close = func() { time.Sleep(5 * time.Second) }
		s, err := actors.Start(actors.Options{
			Servers: map[string]upstream.Config{"up": {}},
			Dial:    dialer{"up": answers(conn, nil)}.dial,
		})
		if err != nil {
			t.Fatal(err)
		}
		settle(t, s)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin := time.Now()
		if err := s.Close(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Second {
			t.Errorf("Close = %v after %v", err, time.Since(begin))
		}
		time.Sleep(5 * time.Second) // until the connection has closed
	})
}

// lostSandbox is a sandbox whose script ends only with its process.
type lostSandbox struct{ fakeChecker }

func (f *lostSandbox) Run(context.Context, runner.Job, runner.Host) (runner.Outcome, error) {
	<-f.Done()
	lost := errors.New("the sandbox ended in the middle of the script")
	return runner.Outcome{Err: &toolscript.RunError{Code: toolscript.Internal, Message: lost.Error()}, ExitCode: 1}, lost
}

// TestCloseDuringARun checks that a run ends with the reason, although its sandbox may end before it.
func TestCloseDuringARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o actors.Options
		o.Scripts.StartChecker = func(context.Context) (workers.Worker, error) {
			return &fakeChecker{dead: make(chan struct{})}, nil
		}
		o.Scripts.StartSandbox = func(context.Context) (workers.Worker, error) {
			return &lostSandbox{fakeChecker{dead: make(chan struct{})}}, nil
		}
		s, err := actors.Start(o)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan *toolscript.End, 1)
		go func() {
			var end *toolscript.End
			_ = s.Exec(context.Background(), toolscript.ExecRequest{Code: "x"}, func(e toolscript.Event) error {
				end = e.End
				return nil
			})
			ended <- end
		}()
		synctest.Wait()
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if end := <-ended; end == nil || end.Kind != toolscript.Unavailable || !strings.Contains(end.Error.Message, "shutting down") {
			t.Errorf("the run ended with %+v", end)
		}
	})
}
