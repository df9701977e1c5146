package wire_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub/wire"
)

// memory is a KeyStore in memory.
type memory struct {
	slow    atomic.Int64 // nanoseconds of Create
	mu      sync.Mutex
	fails   error
	last    uint64
	records map[string]entry
}

type entry struct {
	record  []byte
	version uint64
	at      time.Time
}

func newMemory() *memory { return &memory{records: map[string]entry{}} }

func (m *memory) put(name string, record []byte, version uint64, other error) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.records[name]
	if time.Since(e.at) >= wire.KeyLife {
		e = entry{}
	}
	switch {
	case m.fails != nil:
		return 0, m.fails
	case e.version != version:
		return 0, other
	}
	m.last++
	m.records[name] = entry{record, m.last, time.Now()}
	return m.last, nil
}

func (m *memory) Create(_ context.Context, name string, record []byte) (uint64, error) {
	time.Sleep(time.Duration(m.slow.Load()))
	return m.put(name, record, 0, wire.ErrKeyExists)
}

func (m *memory) Update(_ context.Context, name string, record []byte, version uint64) (uint64, error) {
	return m.put(name, record, version, errors.New("changed"))
}

func (m *memory) Read(_ context.Context, name string) ([]byte, uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.records[name].record, m.records[name].version, m.fails
}

func (m *memory) Delete(_ context.Context, name string, version uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.records[name].version == version {
		delete(m.records, name)
	}
	return m.fails
}

// server counts the calls that it executes.
type server struct {
	effects int
	takes   time.Duration
	err     error
	result  string

	task     string   // id of the task that a call begins; "": none
	left     error    // the error of an attempt to follow a task
	followed []string // the tasks of all attempts
}

func (s *server) call(ctx context.Context, a wire.Attempt) (json.RawMessage, error) {
	if s.task != "" && a.Task == "" {
		a.Began(s.task)
	}
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		return nil, toolscript.ContextError(ctx)
	}
	if s.err != nil && toolscript.SentOf(s.err) == toolscript.SentNo {
		return nil, s.err
	}
	if a.Task == "" {
		s.effects++
	}
	if s.followed = append(s.followed, a.Task); a.Task != "" && s.left != nil {
		return nil, s.left
	}
	return json.RawMessage(s.result), s.err
}

func order(args string) wire.KeyedCall {
	return wire.KeyedCall{Server: "shop", Tool: "order", Key: "k", Args: json.RawMessage(args)}
}

// fails returns an error of a call with this kind and Sent.
func fails(kind toolscript.Kind, sent toolscript.Sent) error {
	return &toolscript.Error{Kind: kind, Sent: sent, Err: errors.New("no luck")}
}

func check(t *testing.T, what string, result json.RawMessage, err error, want string, kind toolscript.Kind, sent toolscript.Sent) {
	t.Helper()
	if string(result) != want || toolscript.KindOf(err) != kind || toolscript.SentOf(err) != sent {
		t.Errorf("%s: %.100s, %v (%s, sent %q), want %.100s, kind %q, sent %q", what, result, err, toolscript.KindOf(err), toolscript.SentOf(err), want, kind, sent)
	}
}

// TestSameAnswer: two calls with the same key have one effect, and the second gets the outcome of
// the first, unless the first was not sent.
func TestSameAnswer(t *testing.T) {
	long := `"` + strings.Repeat("x", wire.MaxKeptAnswer) + `"`
	for _, tt := range []struct {
		name    string
		server  server
		effects int
		kind    toolscript.Kind // kind of the second outcome
		sent    toolscript.Sent
	}{
		{"answer", server{result: `{"n":1}`}, 1, "", ""},
		{"no answer", server{err: fails(toolscript.Timeout, toolscript.SentUnknown)}, 1, toolscript.Timeout, toolscript.SentUnknown},
		{"error of the server", server{err: fails(toolscript.ToolFailed, toolscript.SentYes)}, 1, toolscript.ToolFailed, toolscript.SentYes},
		{"not sent", server{err: fails(toolscript.Unavailable, toolscript.SentNo)}, 0, toolscript.Unavailable, toolscript.SentNo},
		{"large answer", server{result: long}, 1, toolscript.TooLarge, toolscript.SentYes},
		{"no JSON", server{result: "{"}, 1, toolscript.InvalidResult, toolscript.SentYes},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, s := newMemory(), tt.server
				first, err := wire.DoOnce(t.Context(), store, order(`{"item":7}`), s.call)
				if string(first) != s.result || !errors.Is(err, s.err) {
					t.Errorf("the first answer is %.100s, %v", first, err)
				}
				second, err := wire.DoOnce(t.Context(), store, order(`{ "item": 7 }`), s.call)
				want := s.result
				if tt.kind != "" {
					want = ""
				}
				check(t, "the second answer", second, err, want, tt.kind, tt.sent)
				if s.effects != tt.effects {
					t.Errorf("%d effects, want %d", s.effects, tt.effects)
				}
				time.Sleep(wire.KeyLife)
				if _, _ = wire.DoOnce(t.Context(), store, order(`{"item":7}`), s.call); s.effects != 2*tt.effects {
					t.Errorf("after the life of the key: %d effects, want %d", s.effects, 2*tt.effects)
				}
			})
		})
	}
}

// TestNotSentIsCarriedOutLater: a call that was not sent leaves no record.
func TestNotSentIsCarriedOutLater(t *testing.T) {
	store, s := newMemory(), server{err: fails(toolscript.Unavailable, toolscript.SentNo)}
	if _, err := wire.DoOnce(t.Context(), store, order(`{}`), s.call); err == nil || len(store.records) != 0 {
		t.Errorf("%v, %d records", err, len(store.records))
	}
	s = server{result: "1"}
	result, err := wire.DoOnce(t.Context(), store, order(`{}`), s.call)
	check(t, "the second call", result, err, "1", "", "")
}

// TestAbandonedRecord: a call whose record was not stored in time is not made, and its key stays free.
func TestAbandonedRecord(t *testing.T) {
	for name, limit := range map[string]time.Duration{"the store is slow": time.Hour, "the caller has gone": time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, s := newMemory(), server{result: "1"}
				store.slow.Store(int64(20 * time.Second))
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				result, err := wire.DoOnce(ctx, store, order("{}"), s.call)
				check(t, "the first call", result, err, "", toolscript.Unavailable, toolscript.SentNo)
				time.Sleep(time.Minute)
				store.slow.Store(0)
				result, err = wire.DoOnce(t.Context(), store, order("{}"), s.call)
				check(t, "the second call", result, err, "1", "", "")
				if s.effects != 1 {
					t.Errorf("%d effects, want 1", s.effects)
				}
			})
		})
	}
}

// TestOtherCalls: a key belongs to one tool with the same arguments.
func TestOtherCalls(t *testing.T) {
	store, s := newMemory(), server{result: "1"}
	for range 2 {
		for _, c := range []wire.KeyedCall{order(`{}`), {Server: "shop", Tool: "cancel", Key: "k", Args: json.RawMessage(`{}`)}, {Server: "other", Tool: "order", Key: "k", Args: json.RawMessage(`{}`)}} {
			if _, err := wire.DoOnce(t.Context(), store, c, s.call); err != nil {
				t.Errorf("%+v: %v", c, err)
			}
		}
	}
	if s.effects != 3 {
		t.Errorf("%d effects, want 3", s.effects)
	}
	result, err := wire.DoOnce(t.Context(), store, order(`{"item":8}`), s.call)
	check(t, "other arguments", result, err, "", toolscript.Invalid, toolscript.SentNo)
}

// TestInProgress: while a call is in flight, a second one with its key is refused, however long the
// first takes, even if the caller of the first has gone.
func TestInProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, s := newMemory(), server{result: "1", takes: time.Hour}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		result, err := wire.DoOnce(ctx, store, order(`{}`), s.call)
		check(t, "the first call", result, err, "", toolscript.Cancelled, toolscript.SentUnknown)
		for range 58 {
			result, err = wire.DoOnce(t.Context(), store, order(`{}`), s.call)
			check(t, "meanwhile", result, err, "", toolscript.Conflict, toolscript.SentUnknown)
			var e *toolscript.Error
			if !errors.As(err, &e) || !e.MayRepeat() || e.RetryAfter == 0 {
				t.Errorf("%v has no time to try again", err)
			}
			time.Sleep(time.Minute)
		}
		time.Sleep(2 * time.Minute)
		result, err = wire.DoOnce(t.Context(), store, order(`{}`), s.call)
		check(t, "afterwards", result, err, "1", "", "")
		if s.effects != 1 {
			t.Errorf("%d effects, want 1", s.effects)
		}
	})
}

// TestDeadlineEndsTheCall: the deadline of a caller also ends a call that continues without the caller.
func TestDeadlineEndsTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, s := newMemory(), server{result: "1", takes: time.Hour}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		result, err := wire.DoOnce(ctx, store, order(`{}`), s.call)
		check(t, "the first call", result, err, "", toolscript.Timeout, toolscript.SentUnknown)
		synctest.Wait()
		result, err = wire.DoOnce(t.Context(), store, order(`{}`), s.call)
		check(t, "the second call", result, err, "", toolscript.Timeout, toolscript.SentUnknown)
	})
}

// TestKilledProcess: if a process has ended during a call, its record says so after a minute.
func TestKilledProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, s := newMemory(), server{result: "1", takes: time.Minute}
		killed := &memory{records: store.records} // writes nothing after its first record
		killed.last = 1
		go func() { _, _ = wire.DoOnce(t.Context(), killed, order(`{}`), s.call) }()
		synctest.Wait()
		killed.mu.Lock()
		killed.fails = errors.New("killed")
		killed.mu.Unlock()
		result, err := wire.DoOnce(t.Context(), store, order(`{}`), s.call)
		check(t, "at once", result, err, "", toolscript.Conflict, toolscript.SentUnknown)
		time.Sleep(2 * time.Minute)
		result, err = wire.DoOnce(t.Context(), store, order(`{}`), s.call)
		check(t, "later", result, err, "", toolscript.Unavailable, toolscript.SentUnknown)
	})
}

// TestKilledProcessLeavesTask: if the server works on a task for the call of a process that has ended, a later call
// follows the task, even after an attempt that could not follow it. Of several calls, only one follows it.
func TestKilledProcessLeavesTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, s := newMemory(), server{result: "1", takes: time.Second, task: "task-7", left: fails(toolscript.Unavailable, toolscript.SentUnknown)}
		killed, gone := newMemory(), server{takes: 6 * time.Minute, task: "task-7"}
		go func() { _, _ = wire.DoOnce(t.Context(), killed, order(`{}`), gone.call) }()
		synctest.Wait()
		killed.mu.Lock()
		killed.fails = errors.New("killed")
		store.records, store.last = maps.Clone(killed.records), killed.last
		killed.mu.Unlock()
		time.Sleep(2 * time.Minute)
		result, err := wire.DoOnce(t.Context(), store, order(`{}`), s.call)
		check(t, "while the server does not answer", result, err, "", toolscript.Unavailable, toolscript.SentUnknown)
		result, err = wire.DoOnce(t.Context(), store, order(`{}`), s.call)
		check(t, "at once after that", result, err, "", toolscript.Conflict, toolscript.SentUnknown)
		s.left = nil
		time.Sleep(2 * time.Minute)
		var wait sync.WaitGroup
		conflicts := 0
		for range 3 {
			wait.Go(func() {
				result, err := wire.DoOnce(t.Context(), store, order(`{}`), s.call)
				store.mu.Lock()
				defer store.mu.Unlock()
				if toolscript.KindOf(err) == toolscript.Conflict {
					conflicts++
					return
				}
				check(t, "the task", result, err, "1", "", "")
			})
		}
		wait.Wait()
		result, err = wire.DoOnce(t.Context(), store, order(`{}`), s.call)
		check(t, "the same answer", result, err, "1", "", "")
		if s.effects != 0 || conflicts != 2 || strings.Join(s.followed, " ") != "task-7 task-7" {
			t.Errorf("%d effects, %d conflicts, followed %q", s.effects, conflicts, s.followed)
		}
		time.Sleep(3 * time.Minute) // until the call of the other process has ended
	})
}

// slow is a KeyStore that needs a second for an update.
type slow struct{ *memory }

func (s slow) Update(ctx context.Context, name string, record []byte, version uint64) (uint64, error) {
	time.Sleep(time.Second)
	return s.memory.Update(ctx, name, record, version)
}

// TestTaskThatEndsWhileItIsStored: the task of a call is kept, even if it begins and the connection is lost while
// the record is being renewed.
func TestTaskThatEndsWhileItIsStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 20 { // one of two events would be taken at random
			store, s := slow{newMemory()}, server{result: "1"}
			_, _ = wire.DoOnce(t.Context(), store, order(`{}`), func(_ context.Context, a wire.Attempt) (json.RawMessage, error) {
				time.Sleep(20*time.Second + 500*time.Millisecond) // the record is being renewed
				a.Began("task-7")
				return nil, fails(toolscript.Unavailable, toolscript.SentUnknown)
			})
			time.Sleep(2 * time.Minute)
			result, err := wire.DoOnce(t.Context(), store, order(`{}`), s.call)
			check(t, "a later call", result, err, "1", "", "")
		}
	})
}

// TestStoreFails: a call is not made if its record cannot be stored.
func TestStoreFails(t *testing.T) {
	store, s := newMemory(), server{result: "1"}
	store.fails = errors.New("the disk is full")
	result, err := wire.DoOnce(t.Context(), store, order(`{}`), s.call)
	check(t, "a failed store", result, err, "", toolscript.Unavailable, toolscript.SentNo)
	if s.effects != 0 || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("%d effects, error %v", s.effects, err)
	}
}

// TestPanicIsAnError: a panic ends the call with an unknown outcome.
func TestPanicIsAnError(t *testing.T) {
	store := newMemory()
	for range 2 {
		result, err := wire.DoOnce(t.Context(), store, order(`{}`), func(context.Context, wire.Attempt) (json.RawMessage, error) { panic("oops") })
		check(t, "the call", result, err, "", toolscript.Internal, toolscript.SentUnknown)
	}
}
