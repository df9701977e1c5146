package mailbox_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// boss is an actor with a Supervisor that spawns children on request.
type boss struct {
	mailbox.Supervisor
	first []mailbox.Spec
}

// The requests to a boss.
type (
	spawn struct {
		spec  mailbox.Spec
		Reply mailbox.Reply[struct{}]
	}
	breaks struct{ Reply mailbox.Reply[struct{}] }
)

func (b *boss) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		b.Open(c)
		for _, spec := range b.first {
			_ = b.Spawn(c, spec)
		}
	case spawn:
		m.Reply.Send(struct{}{}, b.Spawn(c, m.spec))
	case breaks:
		panic("broken")
	default:
		b.Supervise(c)
	}
}

// company is a root with a Supervisor.
type company struct {
	t         *testing.T
	at        mailbox.Address
	life      *mailbox.Life
	directory *mailbox.Directory
	shared    mailbox.Supervision
}

func withCompany(t *testing.T, test func(*company)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		engine, err := actor.NewEngine(actor.NewEngineConfig())
		if err != nil {
			t.Fatal(err)
		}
		co := &company{t: t, directory: &mailbox.Directory{}}
		co.shared = mailbox.Supervision{Directory: co.directory, Logger: slog.New(slog.DiscardHandler)}
		root := &boss{Supervisor: mailbox.Supervisor{ID: "root", Supervision: co.shared}}
		co.life = co.shared.NewLife("root")
		co.at = mailbox.Address{Engine: engine, PID: engine.Spawn(func() actor.Receiver { return root }, "test", co.life.SupervisorOptions("0")...)}
		test(co)
		if _, err := ask(co, co.at, func(r mailbox.Reply[struct{}]) any { return mailbox.Stop{Reply: r} }); err != nil {
			t.Errorf("Stop: %v", err)
		}
		<-engine.Poison(co.at.PID).Done()
	})
}

func ask[T any](co *company, at mailbox.Address, build func(mailbox.Reply[T]) any) (T, error) {
	co.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return mailbox.Ask(ctx, at, build)
}

func (co *company) spawn(spec mailbox.Spec) error {
	_, err := ask(co, co.at, func(r mailbox.Reply[struct{}]) any { return spawn{spec, r} })
	return err
}

// status returns the status of a child of an actor; the zero ActorStatus if there is none.
func (co *company) status(of mailbox.Address, id string) toolscript.ActorStatus {
	co.t.Helper()
	all, err := ask(co, of, func(r mailbox.Reply[[]toolscript.ActorStatus]) any { return mailbox.ListChildren{Reply: r} })
	if err != nil {
		co.t.Fatal(err)
	}
	for _, a := range all {
		if a.Name == id {
			return a
		}
	}
	return toolscript.ActorStatus{}
}

type receiver func(c *actor.Context)

func (r receiver) Receive(c *actor.Context) { r(c) }

func quiet() actor.Receiver { return receiver(func(*actor.Context) {}) }

func TestSpawn(t *testing.T) {
	withCompany(t, func(co *company) {
		once := mailbox.Spec{ID: "run/1", Produce: quiet, Once: true}
		if err := co.spawn(once); err != nil {
			t.Fatal(err)
		}
		if a := co.status(co.at, "run/1"); a.State != "running" || a.Parent != "root" {
			t.Errorf("actor = %+v", a)
		}
		if err := co.spawn(once); toolscript.KindOf(err) != toolscript.Conflict {
			t.Errorf("second of the same id = %v, want conflict", err)
		}
		at, _ := co.directory.Find("run/1")
		at.Engine.Poison(at.PID)
		<-at.Ended
		synctest.Wait()
		if _, found := co.directory.Find("run/1"); found {
			t.Error("an actor that has ended is in the directory")
		}
		if err := co.spawn(once); err != nil {
			t.Errorf("the same id after the end: %v", err)
		}
	})
}

// TestChildrenThatAreNotRestarted checks that the status shows why they have ended.
func TestChildrenThatAreNotRestarted(t *testing.T) {
	tests := []struct {
		name    string
		produce actor.Producer
		spawned bool
		reason  string
	}{
		{"panic in Started", func() actor.Receiver { return receiver(func(*actor.Context) { panic("bad") }) }, true, "panic: bad"},
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
			withCompany(t, func(co *company) {
				if err := co.spawn(mailbox.Spec{ID: "run/1", Produce: tt.produce, Once: true}); (err == nil) != tt.spawned {
					t.Fatalf("spawn: %v", err)
				}
				time.Sleep(time.Minute)
				a := co.status(co.at, "run/1")
				if a.LastError != tt.reason || a.Restarts != 0 || (tt.reason != "" && a.State != "failed") {
					t.Errorf("actor = %+v, want a failure of %q", a, tt.reason)
				}
			})
		})
	}
}

// TestRespawnWaitsForTheIDToBeFree checks an id that is still taken, because
// hollywood ignores such a Spawn.
func TestRespawnWaitsForTheIDToBeFree(t *testing.T) {
	withCompany(t, func(co *company) {
		release := make(chan struct{})
		if err := co.spawn(mailbox.Spec{ID: "parent", Produce: func() actor.Receiver { return parent(release) }}); err != nil {
			t.Fatal(err)
		}
		co.directory.Pass("parent", "panic")
		time.Sleep(10 * time.Second)
		if a := co.status(co.at, "parent"); a.State != "restarting" || a.Restarts != 0 {
			t.Errorf("while the old one lives: %+v", a)
		}
		close(release)
		time.Sleep(20 * time.Millisecond)
		if a := co.status(co.at, "parent"); a.State != "running" || a.Restarts != 1 {
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

// TestSupervisorsSurviveTheirPanics checks that a panic is answered and shown, that the children of
// the actor go on, and that the root ends them all.
func TestSupervisorsSurviveTheirPanics(t *testing.T) {
	withCompany(t, func(co *company) {
		below := &boss{Supervisor: mailbox.Supervisor{ID: "below", Supervision: co.shared}, first: []mailbox.Spec{{ID: "child", Produce: quiet}}}
		if err := co.spawn(mailbox.Spec{ID: "below", Produce: func() actor.Receiver { return below }}); err != nil {
			t.Fatal(err)
		}
		at, _ := co.directory.Find("below")
		child, _ := co.directory.Find("child")
		for _, to := range []mailbox.Address{co.at, at} {
			if _, err := ask(co, to, func(r mailbox.Reply[struct{}]) any { return breaks{r} }); toolscript.KindOf(err) != toolscript.Unavailable {
				t.Errorf("the request that panicked = %v, want unavailable", err)
			}
		}
		if a := co.status(co.at, "below"); a.State != "running" || a.LastError != "panic: broken" || a.LastStack == "" || a.Restarts != 0 {
			t.Errorf("below = %+v, want one that runs and shows its panic", a)
		}
		if co.life.Fault() == nil {
			t.Error("the panic of the root is not noted")
		}
		if a := co.status(at, "child"); a.State != "running" || a.Parent != "below" || a.Restarts != 0 {
			t.Errorf("child = %+v", a)
		}
		if _, err := ask(co, co.at, func(r mailbox.Reply[struct{}]) any { return mailbox.Stop{Reply: r} }); err != nil {
			t.Fatal(err)
		}
		for which, ended := range map[string]<-chan struct{}{"below": at.Ended, "child": child.Ended} {
			select {
			case <-ended:
			default:
				t.Errorf("%s lives after the end of the root's children", which)
			}
		}
		if err := co.spawn(mailbox.Spec{ID: "late", Produce: quiet}); toolscript.KindOf(err) != toolscript.Unavailable {
			t.Errorf("spawn after Stop = %v, want unavailable", err)
		}
	})
}

// TestSuccessor checks that a child that is being ended is followed by its successor.
func TestSuccessor(t *testing.T) {
	withCompany(t, func(co *company) {
		release, began := make(chan struct{}), make(chan string, 2)
		spec := func(name string) mailbox.Spec {
			return mailbox.Spec{ID: "one", Produce: func() actor.Receiver {
				return receiver(func(c *actor.Context) {
					switch c.Message().(type) {
					case actor.Started:
						began <- name
					case actor.Stopped:
						<-release
					}
				})
			}}
		}
		team := &successors{Supervisor: mailbox.Supervisor{ID: "team", Supervision: co.shared}, first: spec("first"), second: spec("second")}
		if err := co.spawn(mailbox.Spec{ID: "team", Produce: func() actor.Receiver { return team }}); err != nil {
			t.Fatal(err)
		}
		if name := <-began; name != "first" {
			t.Errorf("%s began, want first", name)
		}
		co.directory.Pass("team", "replace")
		synctest.Wait()
		if len(began) > 0 {
			t.Error("the successor began before the first had ended")
		}
		close(release)
		if name := <-began; name != "second" {
			t.Errorf("%s began, want second", name)
		}
	})
}

// successors ends its child and replaces it.
type successors struct {
	mailbox.Supervisor
	first, second mailbox.Spec
}

func (s *successors) Receive(c *actor.Context) {
	switch c.Message().(type) {
	case actor.Started:
		s.Open(c)
		_ = s.Spawn(c, s.first)
	case string:
		s.End(c, "one")
		s.Replace(c, s.second)
	default:
		s.Supervise(c)
	}
}
