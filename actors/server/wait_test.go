package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// down returns a dial function for a server that is up, then fails the given number
// of attempts, and is up again.
func down(conn *fakeConn, tries int) func(context.Context, int) (server.Conn, error) {
	return func(_ context.Context, n int) (server.Conn, error) {
		switch {
		case n == 1:
			return conn, nil
		case n <= 1+tries:
			return nil, errRefused
		}
		return withTools("a"), nil
	}
}

// The wait lasts for up to ten seconds, whatever the number of attempts, and no
// longer than the call's Wait and time limit.
func TestCallsWaitForAServerThatReconnects(t *testing.T) {
	tests := []struct {
		name    string
		tries   int // failed attempts
		wait    time.Duration
		timeout time.Duration // of a call
		took    time.Duration // at most
		ok      bool
	}{
		{"it is back at once", 0, 10 * time.Second, 0, time.Second, true},
		{"it is back at the third try", 2, 10 * time.Second, 0, 6 * time.Second, true},
		{"it stays away", 100, 10 * time.Second, 0, 10 * time.Second, false},
		{"the call may take less", 100, 10 * time.Second, 2 * time.Second, 2 * time.Second, false},
		{"the call does not wait", 0, 0, 0, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn := withTools("a")
				r := start(t, options{config: upstream.Config{Timeout: tt.timeout}, dial: down(conn, tt.tries)})
				conn.die(errors.New("exit status 7"))
				synctest.Wait()
				got := <-r.waitingCall(t.Context(), tt.wait)
				if (got.err == nil) != tt.ok || got.took > tt.took {
					t.Errorf("answered after %v with %v, want success %v within %v", got.took, got.err, tt.ok, tt.took)
				}
				if !tt.ok && (toolscript.KindOf(got.err) != toolscript.Unavailable || got.took < tt.took) {
					t.Errorf("refused after %v with %v, want unavailable after %v", got.took, got.err, tt.took)
				}
				synctest.Wait()
				if s := r.status(); s.Queued != 0 || s.InFlight != 0 {
					t.Errorf("%d calls wait and %d are in flight", s.Queued, s.InFlight)
				}
			})
		})
	}
}

// Calls that were not sent are sent in order on the next connection. The call in
// flight fails.
func TestCallsInTheQueueOutliveTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := withTools("a")
		conn.call = never
		r := start(t, options{config: upstream.Config{Concurrency: 1}, dial: down(conn, 1)})
		inFlight := r.waitingCall(t.Context(), 10*time.Second)
		synctest.Wait()
		queued := []<-chan outcome{r.waitingCall(t.Context(), 10*time.Second), r.waitingCall(t.Context(), 10*time.Second)}
		atOnce := r.call(t.Context(), "a")
		synctest.Wait()
		conn.die(errors.New("exit status 7"))
		if got := <-inFlight; toolscript.KindOf(got.err) != toolscript.Unavailable || !strings.Contains(got.err.Error(), "not known") {
			t.Errorf("the call in flight = %v", got.err)
		}
		if got := <-atOnce; toolscript.KindOf(got.err) != toolscript.Unavailable || strings.Contains(got.err.Error(), "not known") {
			t.Errorf("the call that does not wait = %v", got.err)
		}
		for _, call := range queued {
			if got := <-call; got.err != nil {
				t.Errorf("a call that was not sent = %v", got.err)
			}
		}
	})
}

// TestUnsentCallIsSentAgain: a call that could not be sent is sent on the next connection. Over HTTP, only the next
// request notices the end of a server.
func TestUnsentCallIsSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := withTools("a")
		conn.call = func(context.Context, string, func()) (json.RawMessage, error) {
			return nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("%w; the call was not sent", upstream.ErrUnreachable)}
		}
		r := start(t, options{dial: down(conn, 1)})
		if got := <-r.call(t.Context(), "a"); toolscript.KindOf(got.err) != toolscript.Unavailable || got.took > 0 {
			t.Errorf("a call that does not wait: %v after %v", got.err, got.took)
		}
		if got := <-r.waitingCall(t.Context(), 10*time.Second); got.err != nil {
			t.Errorf("a call that waits: %v", got.err)
		}
		if !conn.isClosed() {
			t.Error("the connection without a way to the server is open")
		}
	})
}
