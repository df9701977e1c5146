package actors_test

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
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

// TestPanicsOfTheSupervisorItself checks that the status shows these panics, and that
// children are still restarted.
func TestPanicsOfTheSupervisorItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &trap{message: "actor failed"}
		h.armed.Store(100)
		s := startWith(t, actors.Options{Servers: map[string]upstream.Config{"up": {}}, Dial: dialer{}.dial, Logger: slog.New(h)})
		settle(t, s)
		at := actors.Find(s, "server/up")
		at.Engine.Send(at.PID, server.Call{Ctx: nil}) // causes a panic: real calls have a context
		<-at.Ended
		synctest.Wait()
		if a := actorNamed(t, s, "supervisor"); a.State != "running" || a.LastError != "panic: trapped: actor failed" {
			t.Errorf("supervisor = %+v", a)
		}
		time.Sleep(time.Second)
		settle(t, s)
		if err := echo(t, s, "up"); err != nil {
			t.Errorf("echo: %v", err)
		}
	})
}

// bad makes an actor that panics at its start.
func bad() actor.Receiver { return receiver(func(*actor.Context) { panic("bad") }) }

type receiver func(c *actor.Context)

func (r receiver) Receive(c *actor.Context) { r(c) }

func TestSpawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, nil)
		quiet := func() actor.Receiver { return receiver(func(*actor.Context) {}) }
		at, err := actors.Spawn(s, t.Context(), "run/1", quiet)
		if err != nil {
			t.Fatal(err)
		}
		if a := actorNamed(t, s, "run/1"); a.State != "running" {
			t.Errorf("actor = %+v", a)
		}
		if _, err := actors.Spawn(s, t.Context(), "run/1", quiet); toolscript.KindOf(err) != toolscript.Conflict {
			t.Errorf("second of the same id = %v, want conflict", err)
		}
		at.Engine.Poison(at.PID)
		<-at.Ended
		if _, err := actors.Spawn(s, t.Context(), "run/1", quiet); err != nil {
			t.Errorf("the same id after the end: %v", err)
		}
	})
}

func TestTemporaryActorsAreNotRestarted(t *testing.T) {
	tests := []struct {
		name    string
		produce actor.Producer
		spawned bool
		reason  string
	}{
		{"panic in Started", bad, true, "panic: bad"},
		{"panic in the Producer", func() actor.Receiver { panic("producer") }, false, "panic: producer"},
		{"poisons itself", func() actor.Receiver {
			return receiver(func(c *actor.Context) {
				if _, ok := c.Message().(actor.Started); ok {
					c.Engine().Poison(c.PID())
				}
			})
		}, true, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start(t, nil)
				at, err := actors.Spawn(s, t.Context(), "run/1", tt.produce)
				if (err == nil) != tt.spawned {
					t.Fatalf("spawn: %v", err)
				}
				if tt.spawned {
					<-at.Ended
				}
				time.Sleep(time.Minute)
				a := actorNamed(t, s, "run/1")
				if a.LastError != tt.reason || a.Restarts != 0 || (tt.reason != "" && a.State != "failed") {
					t.Errorf("actor = %+v, want a failure of %q", a, tt.reason)
				}
			})
		})
	}
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

// TestRespawnWaitsForTheIDToBeFree checks an id that is still taken, because
// hollywood ignores such a Spawn.
func TestRespawnWaitsForTheIDToBeFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		release := make(chan struct{})
		at, err := actors.SpawnPermanent(ctx, s, "parent", func() actor.Receiver { return parent(release) })
		if err != nil {
			t.Fatal(err)
		}
		at.Engine.Send(at.PID, "panic")
		time.Sleep(10 * time.Second)
		if a := actorNamed(t, s, "parent"); a.State != "restarting" || a.Restarts != 0 {
			t.Errorf("while the old one lives: %+v", a)
		}
		close(release)
		time.Sleep(20 * time.Millisecond)
		if a := actorNamed(t, s, "parent"); a.State != "running" || a.Restarts != 1 {
			t.Errorf("afterwards: %+v", a)
		}
	})
}

// parent returns an actor that panics on a message, and cannot end before its child,
// which blocks until release is closed.
func parent(release <-chan struct{}) actor.Receiver {
	return receiver(func(c *actor.Context) {
		switch c.Message() {
		case actor.Started{}:
			c.SpawnChildFunc(func(c *actor.Context) {
				if c.Message() == "stick" {
					<-release
				}
			}, "child", mailbox.NewLife().Options("1")...)
			c.Engine().Send(c.Children()[0], "stick")
		case "panic":
			panic("requested")
		}
	})
}
