package search_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anthdm/hollywood/actor"
	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/search"
)

// openModel is a model without vectors, which a test can end.
type openModel struct {
	id   string
	done chan struct{}
	err  error
	shut atomic.Bool
}

// newModel must be called in the synctest bubble of its actor.
func newModel(id string) *openModel { return &openModel{id: id, done: make(chan struct{})} }

func (m *openModel) ID() string                                            { return m.id }
func (m *openModel) Dim() int                                              { return 2 }
func (m *openModel) Embed(context.Context, []string) ([][]float32, error)  { return nil, nil }
func (m *openModel) EmbedQuery(context.Context, string) ([]float32, error) { return nil, nil }
func (m *openModel) Done() <-chan struct{}                                 { return m.done }
func (m *openModel) Err() error                                            { return m.err }
func (m *openModel) Close()                                                { m.shut.Store(true) }
func (m *openModel) isShut() bool                                          { return m.shut.Load() }
func (m *openModel) die(err error)                                         { m.err = err; close(m.done) }

// bench runs the actor in a synctest bubble.
type bench struct {
	t     *testing.T
	opens []time.Duration // times of the calls of Open
	used  []string        // arguments of the calls of Use
	log   bytes.Buffer
	named string // name of the source; "" means none
	send  func(message any)

	mu sync.Mutex // guards all fields except t, as the actor runs concurrently
}

// Write receives the log of the actor.
func (b *bench) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.Write(p)
}

func (b *bench) opened(after time.Duration) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.opens = append(b.opens, after)
	return len(b.opens)
}

// change sets the source and sends SourceChanged.
func (b *bench) change(name string) {
	b.mu.Lock()
	b.named = name
	b.mu.Unlock()
	b.send(search.SourceChanged{})
	synctest.Wait()
}

func (b *bench) source() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.named
}

func (b *bench) use(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used = append(b.used, name)
}

func (b *bench) logged() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.String()
}

// run tests an actor whose n-th attempt, from 1, has the result open(n).
func run(t *testing.T, open func(n int) (search.OpenModel, error), test func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b, begun, work := &bench{t: t, named: "one"}, time.Now(), new(mailbox.Group)
		engine, err := actor.NewEngine(actor.NewEngineConfig())
		if err != nil {
			t.Fatal(err)
		}
		pid := engine.Spawn(search.NewModelActor(search.ModelOptions{
			Source: func() search.ModelSource {
				if b.source() == "" {
					return search.ModelSource{}
				}
				return search.ModelSource{Name: b.source(), Open: func(context.Context) (search.OpenModel, error) {
					return open(b.opened(time.Since(begun)))
				}}
			},
			Use: func(m search.OpenModel) {
				name := "none"
				if m != nil {
					name = m.ID()
				}
				b.use(name)
			},
			Hold:   func() { b.use("hold") },
			Logger: slog.New(slog.NewTextHandler(b, nil)),
			Work:   work,
		}), "embedder", mailbox.NewLife().Options("embedder")...)
		b.send = func(message any) { engine.Send(pid, message) }
		synctest.Wait()
		test(b)
		<-engine.Poison(pid).Done()
		<-work.Idle() // all goroutines have ended; synctest would report others
	})
}

func (b *bench) wantEvents(used ...string) {
	b.t.Helper()
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	if diff := cmp.Diff(used, b.used); diff != "" {
		b.t.Errorf("used (-want +got):\n%s", diff)
	}
}

func (b *bench) warnings() int { return strings.Count(b.logged(), "level=WARN") }

func TestModelThatEndsIsOpenedAgain(t *testing.T) {
	var models [2]*openModel
	open := func(n int) (search.OpenModel, error) {
		models[n-1] = newModel(string(rune('a' + n - 1)))
		return models[n-1], nil
	}
	run(t, open, func(b *bench) {
		b.wantEvents("a")
		models[0].die(errors.New("signal: killed"))
		b.wantEvents("a", "none")
		if !models[0].isShut() {
			b.t.Error("a model that is gone is not closed")
		}
		time.Sleep(time.Second)
		b.wantEvents("a", "none", "b")
		if b.warnings() != 1 || !strings.Contains(b.logged(), "signal: killed") {
			b.t.Errorf("log:\n%s", b.logged())
		}
	})
	if !models[1].isShut() {
		t.Error("a model outlives its actor")
	}
}

// TestOneWarningForRepeatedFailures: the first failure of a row is logged, and the first after a
// model has worked for long.
func TestOneWarningForRepeatedFailures(t *testing.T) {
	var last *openModel
	open := func(n int) (search.OpenModel, error) {
		if n < 5 {
			return nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New("connection refused")}
		}
		last = newModel("m")
		return last, nil
	}
	run(t, open, func(b *bench) {
		time.Sleep(time.Minute)
		b.wantEvents("none", "none", "none", "none", "m")
		if b.warnings() != 1 {
			b.t.Errorf("%d warnings:\n%s", b.warnings(), b.logged())
		}
		time.Sleep(time.Minute)
		last.die(errors.New("gone"))
		synctest.Wait()
		if b.warnings() != 2 {
			b.t.Errorf("%d warnings:\n%s", b.warnings(), b.logged())
		}
	})
}

// TestCrashLoop: a model that always ends immediately is tried every five minutes in
// the end.
func TestCrashLoop(t *testing.T) {
	open := func(int) (search.OpenModel, error) {
		m := newModel("m")
		m.die(errors.New("abort"))
		return m, nil
	}
	run(t, open, func(b *bench) {
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := len(b.opens); n < 15 || n > 21 {
			b.t.Errorf("%d tries in an hour, want 8 and one every five minutes", n)
		}
		if last := b.opens[len(b.opens)-1] - b.opens[len(b.opens)-2]; last != 5*time.Minute {
			b.t.Errorf("the last delay is %s", last)
		}
		if b.warnings() != 1 {
			b.t.Errorf("%d warnings", b.warnings())
		}
	})
}

func TestMistakesAreNotTriedAgain(t *testing.T) {
	for _, kind := range []toolscript.Kind{toolscript.Invalid, toolscript.Unsupported} {
		open := func(int) (search.OpenModel, error) {
			return nil, &toolscript.Error{Kind: kind, Err: errors.New("no such file")}
		}
		run(t, open, func(b *bench) {
			time.Sleep(time.Hour)
			b.wantEvents("none")
			if len(b.opens) != 1 || b.warnings() != 1 {
				b.t.Errorf("%s: %d tries, %d warnings", kind, len(b.opens), b.warnings())
			}
		})
	}
}

func TestPanicWhileOpening(t *testing.T) {
	open := func(n int) (search.OpenModel, error) {
		if n == 1 {
			panic("open broke")
		}
		return newModel("m"), nil
	}
	run(t, open, func(b *bench) {
		time.Sleep(time.Second)
		b.wantEvents("none", "m")
	})
}

// TestChangedSource: another source replaces the open model, the same source changes
// nothing, and a failed source is tried again.
func TestChangedSource(t *testing.T) {
	var models []*openModel
	open := func(n int) (search.OpenModel, error) {
		if n == 3 {
			return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("no such file")}
		}
		models = append(models, newModel(string(rune('a'+n-1))))
		return models[len(models)-1], nil
	}
	run(t, open, func(b *bench) {
		b.change("one")
		b.wantEvents("a")
		b.change("two")
		b.wantEvents("a", "hold", "b")
		if !models[0].isShut() {
			b.t.Error("the model of the old source is still open")
		}
		models[1].die(errors.New("gone"))
		b.wantEvents("a", "hold", "b", "none")
		b.change("three") // before the next attempt for the old source
		time.Sleep(time.Hour)
		b.wantEvents("a", "hold", "b", "none", "none")
		b.change("three")
		b.wantEvents("a", "hold", "b", "none", "none", "d")
		b.change("three")
		b.change("")
		b.wantEvents("a", "hold", "b", "none", "none", "d", "none")
		if len(models) != 3 || !models[2].isShut() {
			b.t.Errorf("%d models, the last one open", len(models))
		}
	})
}
