package actors_test

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// trap is a log handler that panics on a message as often as it is armed, and so
// causes a panic on the goroutine of an actor.
type trap struct {
	message string
	armed   atomic.Int32
}

func (h *trap) Enabled(context.Context, slog.Level) bool { return true }
func (h *trap) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h *trap) WithGroup(string) slog.Handler            { return h }

func (h *trap) Handle(_ context.Context, r slog.Record) error {
	if r.Message == h.message && h.armed.Add(-1) >= 0 {
		panic("trapped: " + r.Message)
	}
	return nil
}

func actorNamed(t *testing.T, s *actors.System, name string) toolscript.ActorStatus {
	t.Helper()
	status, err := s.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range status.Actors {
		if a.Name == name {
			return a
		}
	}
	return toolscript.ActorStatus{}
}

// TestActorsThatPanicAreRestarted checks that the status shows the panic, and that
// tools can be called after the restart.
func TestActorsThatPanicAreRestarted(t *testing.T) {
	tests := []struct {
		actor   string
		message string // the log message at which the actor panics
		times   int32
	}{
		{"server/up", "server connected", 3},
		{"registry", "catalog changed", 1}, // published before the panic, so there is no second change
	}
	for _, tt := range tests {
		t.Run(tt.actor, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &trap{message: tt.message}
				h.armed.Store(tt.times)
				s := startWith(t, actors.Options{
					Servers: map[string]upstream.Config{"up": {}}, Dial: dialer{}.dial, Logger: slog.New(h),
				})
				synctest.Wait()
				a := actorNamed(t, s, tt.actor)
				if a.State != "restarting" || a.LastError != "panic: trapped: "+tt.message {
					t.Errorf("after the first panic: %+v", a)
				}
				if _, err := s.Types(t.Context(), nil, false); err != nil {
					t.Errorf("Types meanwhile: %v", err)
				}
				time.Sleep(20 * time.Second)
				synctest.Wait()
				if a := actorNamed(t, s, tt.actor); a.State != "running" || a.Restarts != int(tt.times) || a.LastError == "" {
					t.Errorf("in the end: %+v, want running after %d restarts", a, tt.times)
				}
				if err := echo(t, s, "up"); err != nil {
					t.Errorf("echo: %v", err)
				}
			})
		})
	}
}

// TestAServerWhoseActorPanickedIsInBackoff checks that the supervisor reports the
// state of a server whose actor has ended.
func TestAServerWhoseActorPanickedIsInBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &trap{message: "server connected"}
		h.armed.Store(1)
		s := startWith(t, actors.Options{
			Servers: map[string]upstream.Config{"up": {Type: upstream.Stdio}}, Dial: dialer{}.dial, Logger: slog.New(h),
		})
		synctest.Wait()
		servers, err := s.Servers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		up := servers[0]
		if up.State != toolscript.Backoff || up.NextRetry == nil || !strings.Contains(up.Error, "panic") {
			t.Errorf("server = %+v", up)
		}
		if n := s.Catalog().Len(); n != 1 || !up.Stale {
			t.Errorf("%d tools, stale %v, want the one listed last, and stale", n, up.Stale)
		}
		if err := echo(t, s, "up"); toolscript.KindOf(err) != toolscript.Unavailable {
			t.Errorf("echo = %v, want unavailable", err)
		}
	})
}

// TestPanicsOfASupervisor checks that the status shows these panics, and that
// children are still restarted.
func TestPanicsOfASupervisor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &trap{message: "actor failed"}
		h.armed.Store(100)
		s := startWith(t, actors.Options{Servers: map[string]upstream.Config{"up": {}}, Dial: dialer{}.dial, Logger: slog.New(h)})
		settle(t, s)
		at := actors.Find(s, "server/up")
		at.Engine.Send(at.PID, server.Call{Ctx: nil}) // causes a panic: real calls have a context
		<-at.Ended
		synctest.Wait()
		if a := actorNamed(t, s, "servers"); a.State != "running" || a.LastError != "panic: trapped: actor failed" {
			t.Errorf("servers = %+v", a)
		}
		time.Sleep(time.Second)
		settle(t, s)
		if err := echo(t, s, "up"); err != nil {
			t.Errorf("echo: %v", err)
		}
	})
}

// TestPermanentActorThatStopsIsRestarted checks that an actor is restarted
// after a poison that the supervisor did not send.
func TestPermanentActorThatStopsIsRestarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, nil, "up")
		settle(t, s)
		at := actors.Find(s, "server/up")
		at.Engine.Poison(at.PID)
		synctest.Wait()
		if a := actorNamed(t, s, "server/up"); a.State != "restarting" || a.LastError == "" {
			t.Errorf("actor = %+v", a)
		}
		time.Sleep(time.Second)
		settle(t, s)
		if err := echo(t, s, "up"); err != nil {
			t.Errorf("echo: %v", err)
		}
	})
}
