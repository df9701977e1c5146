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
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/oauth"
	"github.com/toolscript/toolscript/transport/upstream"
)

// ends are ways in which a connection ends, with the kind and the text of the errors that calls get.
var ends = []struct {
	name string
	why  error
	kind toolscript.Kind
	text string
}{
	{"the login has ended", &toolscript.Error{Kind: toolscript.Unauthorized, Err: &oauth.LoginError{Server: "fake", Reason: "revoked"}}, toolscript.Unauthorized, "needs authorization again (revoked); run: toolscript auth fake"},
	{"the hub says so", &toolscript.Error{Kind: toolscript.Unauthorized, Err: errors.New("fake needs authorization; run: toolscript auth fake")}, toolscript.Unauthorized, "run: toolscript auth fake"},
	{"credentials are refused", &toolscript.Error{Kind: toolscript.Unauthorized, Err: errors.New("401")}, toolscript.Unauthorized, "run: toolscript auth fake"},
	{"the process has ended", errors.New("exit status 7"), toolscript.Unavailable, "exit status 7"},
	{"it cannot come back by itself", &toolscript.Error{Kind: toolscript.Unavailable, Permanent: true, Err: errors.New("no such program")}, toolscript.Unavailable, "no such program"},
	{"it is not supported any more", &toolscript.Error{Kind: toolscript.Unsupported, Err: errors.New("no")}, toolscript.Unavailable, "no"},
}

// once returns a dial function for a server that connects once.
func once(conn *fakeConn) func(context.Context, int) (server.Conn, error) {
	return func(_ context.Context, n int) (server.Conn, error) {
		if n == 1 {
			return conn, nil
		}
		return nil, errRefused
	}
}

// TestTheEndOfAConnectionHasItsKind: calls in flight and calls that wait for their turn get
// the kind and the reason of the end, as later calls do.
func TestTheEndOfAConnectionHasItsKind(t *testing.T) {
	for _, end := range ends {
		t.Run(end.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn := withTools("a")
				conn.call = ignoringContext
				r := start(t, options{config: upstream.Config{Concurrency: 1}, dial: once(conn)})
				calls := map[string]<-chan outcome{"in flight": r.call(t.Context(), "a")}
				synctest.Wait()
				calls["that waits"] = r.call(t.Context(), "a")
				synctest.Wait()
				conn.die(end.why)
				synctest.Wait()
				calls["that follows"] = r.call(t.Context(), "a")
				for which, call := range calls {
					got := <-call
					if toolscript.KindOf(got.err) != end.kind || !strings.Contains(got.err.Error(), end.text) {
						t.Errorf("the call %s: %v (%s), want %s (%s)", which, got.err, toolscript.KindOf(got.err), end.text, end.kind)
					}
				}
			})
		})
	}
}

// TestACallAfterTheEndKeepsItsKind: a call that finds a connection ended, before the actor
// knows of the end, does not hide the reason.
func TestACallAfterTheEndKeepsItsKind(t *testing.T) {
	for _, end := range ends {
		t.Run(end.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn := withTools("a")
				conn.call = func(context.Context, string, func()) (json.RawMessage, error) {
					conn.err = end.why // Lost follows
					return nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("%w; the call was not sent", upstream.ErrUnreachable)}
				}
				r := start(t, options{dial: once(conn)})
				got := <-r.waitingCall(t.Context(), time.Second)
				if toolscript.KindOf(got.err) != end.kind || end.kind == toolscript.Unauthorized && !strings.Contains(got.err.Error(), end.text) {
					t.Errorf("the call: %v (%s), want %s (%s)", got.err, toolscript.KindOf(got.err), end.text, end.kind)
				}
			})
		})
	}
}

// TestCallsOfAServerThatLeaves: calls get the reason for the end of the actor, and only those
// that were sent may have been carried out.
func TestCallsOfAServerThatLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := withTools("a")
		conn.call = never
		r := start(t, options{config: upstream.Config{Concurrency: 1}, dial: once(conn)})
		sent := r.call(t.Context(), "a")
		synctest.Wait()
		unsent := r.call(t.Context(), "a")
		synctest.Wait()
		mailbox.Send(r.at.Engine, r.at.PID, server.Leave{Why: "the server was disabled"})
		r.at.Engine.Poison(r.at.PID)
		for call, want := range map[<-chan outcome]string{
			sent:   "the server was disabled; whether the call was carried out is not known",
			unsent: "the server was disabled; the call was not sent",
		} {
			if got := <-call; toolscript.KindOf(got.err) != toolscript.Unavailable || !strings.Contains(got.err.Error(), want) {
				t.Errorf("%v, want %q", got.err, want)
			}
		}
	})
}
