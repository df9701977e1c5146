package mailbox_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/internal/rescue"
)

// Messages of the actors in these tests.
type (
	echo    struct{ reply mailbox.Reply[string] }
	ignored struct{ reply mailbox.Reply[string] }
	crash   struct{ reply mailbox.Reply[string] }
)

// family is a parent that records its notifications, and a child.
type family struct {
	engine *actor.Engine
	parent *actor.PID
	child  mailbox.Address
	life   *mailbox.Life

	mu       sync.Mutex
	received []any
	handled  []string // the child's messages
}

func newFamily(t *testing.T, child func(f *family, c *actor.Context)) *family {
	t.Helper()
	engine, err := actor.NewEngine(actor.NewEngineConfig())
	if err != nil {
		t.Fatal(err)
	}
	f := &family{engine: engine, life: mailbox.NewLife()}
	f.parent = engine.SpawnFunc(func(c *actor.Context) {
		switch m := c.Message().(type) {
		case actor.Started:
			pid := c.SpawnChildFunc(func(c *actor.Context) { child(f, c) }, "child", f.life.Options("1")...)
			f.child = mailbox.Address{Engine: engine, PID: pid, Ended: f.life.Ended()}
		case mailbox.Failed, mailbox.Ended:
			f.mu.Lock()
			defer f.mu.Unlock()
			f.received = append(f.received, m)
		}
	}, "parent", mailbox.NewLife().Options("0")...)
	t.Cleanup(func() { <-engine.Poison(f.parent).Done() })
	return f
}

// answering answers echo, ignores ignored and panics on crash.
func answering(f *family, c *actor.Context) {
	note := func(text string) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.handled = append(f.handled, text)
	}
	switch m := c.Message().(type) {
	case echo:
		note("echo")
		m.reply.Send("hello", nil)
	case crash:
		note("crash")
		panic("crash")
	case actor.Stopped:
		note("stopped")
	}
}

func (f *family) ask(t *testing.T, limit time.Duration, build func(mailbox.Reply[string]) any) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	return mailbox.Ask(ctx, f.child, build)
}

func TestAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t, answering)
		if got, err := f.ask(t, time.Second, func(r mailbox.Reply[string]) any { return echo{r} }); got != "hello" || err != nil {
			t.Errorf("echo = %q, %v", got, err)
		}
		begin := time.Now()
		_, err := f.ask(t, time.Second, func(r mailbox.Reply[string]) any { return ignored{r} })
		if toolscript.KindOf(err) != toolscript.Timeout || time.Since(begin) != time.Second {
			t.Errorf("ignored = %v after %v, want a time-out after 1s", err, time.Since(begin))
		}
		if _, err := mailbox.Ask(t.Context(), f.child, func(r mailbox.Reply[string]) any { return echo{r} }); toolscript.KindOf(err) != toolscript.Internal {
			t.Errorf("without a deadline = %v, want internal", err)
		}
	})
}

func TestElicitationDuringShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t, answering)
		gone := make(chan struct{})
		f.child.Gone = gone
		time.AfterFunc(time.Second, func() { close(gone) })
		if _, err := f.ask(t, time.Hour, func(r mailbox.Reply[string]) any { return ignored{r} }); !errors.Is(err, mailbox.ErrStopped) {
			t.Errorf("ignored = %v, want %v", err, mailbox.ErrStopped)
		}
	})
}

// TestPanicAnswersAllRequests checks that a panic answers the message that caused it,
// the messages behind it in the queue, and messages sent after the end of the actor.
func TestPanicAnswersAllRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t, answering)
		begin := time.Now()
		for _, build := range []func(mailbox.Reply[string]) any{
			func(r mailbox.Reply[string]) any { return crash{r} },
			func(r mailbox.Reply[string]) any { return echo{r} },
		} {
			if _, err := f.ask(t, time.Hour, build); !errors.Is(err, mailbox.ErrEnded) {
				t.Errorf("answer = %v, want %v", err, mailbox.ErrEnded)
			}
		}
		if took := time.Since(begin); took != 0 {
			t.Errorf("answered after %v, want at once", took)
		}
	})
}

// TestAfterAPanicAnActorHandlesOnlyStopped checks that an actor handles no more
// messages after a panic, because its state can be inconsistent.
func TestAfterAPanicAnActorHandlesOnlyStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t, func(f *family, c *actor.Context) {
			if _, ok := c.Message().(crash); ok {
				f.engine.Send(c.PID(), echo{}) // queued before the poison
			}
			answering(f, c)
		})
		f.engine.Send(f.child.PID, crash{})
		<-f.life.Ended()
		synctest.Wait()
		f.mu.Lock()
		defer f.mu.Unlock()
		if got := strings.Join(f.handled, " "); got != "crash stopped" {
			t.Errorf("handled %q, want crash stopped", got)
		}
		if len(f.received) != 2 {
			t.Fatalf("the parent was received %v, want Failed and Ended", f.received)
		}
		failed, ok := f.received[0].(mailbox.Failed)
		if !ok || failed.Reason != "crash" || failed.Life != f.life || !strings.Contains(string(failed.Stack), "answering") {
			t.Errorf("first %+v, want Failed with the stack of the panic", f.received[0])
		}
		if ended, ok := f.received[1].(mailbox.Ended); !ok || ended.Life != f.life {
			t.Errorf("then %+v, want Ended", f.received[1])
		}
	})
}

// TestPanicsWhereHollywoodEndsTheProcess covers panics during start and stop, which
// hollywood does not contain.
func TestPanicsWhereHollywoodEndsTheProcess(t *testing.T) {
	for _, at := range []struct {
		name    string
		message any
	}{{"Initialized", actor.Initialized{}}, {"Started", actor.Started{}}, {"Stopped", actor.Stopped{}}} {
		t.Run(at.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFamily(t, func(_ *family, c *actor.Context) {
					if c.Message() == at.message {
						panic(at.name)
					}
				})
				f.engine.Poison(f.child.PID)
				<-f.life.Ended()
			})
		})
	}
}

func TestReplyTakesTheFirstAnswerAndNeverBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t, func(_ *family, c *actor.Context) {
			if m, ok := c.Message().(echo); ok {
				m.reply.Send("first", nil)
				m.reply.Send("second", nil)
				m.reply.Send("third", nil)
			}
		})
		if got, err := f.ask(t, time.Second, func(r mailbox.Reply[string]) any { return echo{r} }); got != "first" || err != nil {
			t.Errorf("echo = %q, %v, want the first answer", got, err)
		}
	})
}

func TestContextError(t *testing.T) {
	busy := &toolscript.Error{Kind: toolscript.Busy}
	tests := []struct {
		name  string
		cause error
		want  toolscript.Kind
	}{
		{"a cause with a kind", busy, toolscript.Busy},
		{"time over", context.DeadlineExceeded, toolscript.Timeout},
		{"the caller left", context.Canceled, toolscript.Cancelled},
		{"any other cause", errors.New("why not"), toolscript.Cancelled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(tt.cause)
			if got := toolscript.KindOf(mailbox.ContextError(ctx)); got != tt.want {
				t.Errorf("kind = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g mailbox.Group
		<-g.Idle() // no goroutine was started
		failed := make(chan error, 1)
		g.Go(func() { time.Sleep(time.Minute) }, func(error) {})
		g.Go(func() { panic("in the group") }, func(err error) { failed <- err })
		begin := time.Now()
		<-g.Idle()
		if took := time.Since(begin); took != time.Minute {
			t.Errorf("idle after %v, want 1m", took)
		}
		if err := <-failed; toolscript.KindOf(err) != toolscript.Internal || err.Error() != "panic: in the group" {
			t.Errorf("failed = %v", err)
		}
		<-g.Idle()
	})
}

func TestRecover(t *testing.T) {
	f := func() (err error) {
		defer rescue.Into(&err)
		panic("here")
	}
	if err := f(); toolscript.KindOf(err) != toolscript.Internal || err.Error() != "panic: here" {
		t.Errorf("error = %v", err)
	}
}

func TestLogFailureGivesTheStackToPanicsOnly(t *testing.T) {
	var out strings.Builder
	logger := slog.New(slog.NewTextHandler(&out, nil))
	mailbox.LogFailure(logger, slog.LevelWarn, "plain", errors.New("no"))
	mailbox.LogFailure(logger, slog.LevelWarn, "fatal", (&rescue.Error{Reason: "boom", Stack: []byte("the stack")}).Internal())
	plain, fatal, _ := strings.Cut(out.String(), "\n")
	if !strings.Contains(plain, "level=WARN") || strings.Contains(plain, "stack") {
		t.Errorf("plain: %s", plain)
	}
	if !strings.Contains(fatal, "level=ERROR") || !strings.Contains(fatal, `stack="the stack"`) {
		t.Errorf("fatal: %s", fatal)
	}
}
