package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// restart asks for a restart and returns the answer.
func restart(r *rig) (toolscript.ServerStatus, error) {
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	defer cancel()
	return mailbox.Ask(ctx, r.at, func(reply mailbox.Reply[toolscript.ServerStatus]) any { return server.Restart{Reply: reply} })
}

// A restart ends the connection before the next one begins, fails the calls in flight,
// and answers when the server is connected.
func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := slowToClose{withTools("a")}
		first.call = func(ctx context.Context, _ string, _ func()) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		r := start(t, options{dial: func(_ context.Context, n int) (server.Conn, error) {
			if n == 1 {
				return first, nil
			}
			if !first.isClosed() {
				t.Error("the next connection began before the end of the first one")
			}
			time.Sleep(time.Second)
			return withTools("a", "b"), nil
		}})
		synctest.Wait()
		call := r.call(t.Context(), "a")
		synctest.Wait()
		begun := time.Now()
		status, err := restart(r)
		if err != nil || status.State != toolscript.Ready || status.Tools != 2 || status.Restarts != 1 || status.Error != "" {
			t.Errorf("%+v, %v", status, err)
		}
		if took := time.Since(begun); took != closingTime+time.Second {
			t.Errorf("it took %v", took)
		}
		got := <-call
		if toolscript.KindOf(got.err) != toolscript.Unavailable || !strings.Contains(got.err.Error(), "restarted") {
			t.Errorf("the call in flight: %v", got.err)
		}
		if got := <-r.call(t.Context(), "b"); got.err != nil {
			t.Errorf("a call after the restart: %v", got.err)
		}
	})
}

// closingTime is the time that a slowToClose needs.
const closingTime = 3 * time.Second

type slowToClose struct{ *fakeConn }

func (c slowToClose) Close() error {
	time.Sleep(closingTime)
	return c.fakeConn.Close()
}

// A server that is not connected is tried at once, and the answer has the reason if it
// does not start.
func TestRestartOfAServerThatIsNotConnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		works := false
		r := start(t, options{dial: func(context.Context, int) (server.Conn, error) {
			if !works {
				return nil, errRefused
			}
			return withTools("a"), nil
		}})
		time.Sleep(3 * time.Minute)
		if status, err := restart(r); err != nil || status.State != toolscript.Backoff || !strings.Contains(status.Error, "refused") {
			t.Errorf("%+v, %v", status, err)
		}
		works = true
		if status, err := restart(r); err != nil || status.State != toolscript.Ready {
			t.Errorf("%+v, %v", status, err)
		}
	})
}

// A server on demand is started, and a server that the configuration does not allow to
// start is not.
func TestRestartOfAServerThatWasNeverStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := func(context.Context, int) (server.Conn, error) { return withTools("a"), nil }
		if status, err := restart(start(t, options{demand: true, dial: dial})); err != nil || status.State != toolscript.Ready {
			t.Errorf("%+v, %v", status, err)
		}
		disabled := start(t, options{config: upstream.Config{Disabled: true}, dial: dial})
		if _, err := restart(disabled); toolscript.KindOf(err) != toolscript.Unavailable || !strings.Contains(err.Error(), "disabled") {
			t.Errorf("disabled: %v", err)
		}
		problem := start(t, options{config: upstream.Config{Problem: errors.New("A is not set")}, dial: dial})
		if _, err := restart(problem); toolscript.KindOf(err) != toolscript.Unavailable || !strings.Contains(err.Error(), "A is not set") {
			t.Errorf("problem: %v", err)
		}
	})
}
