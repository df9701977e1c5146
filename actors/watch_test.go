package actors_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// announcing is a server that records the requests about announcements, and announces.
type announcing struct {
	mu       sync.Mutex
	requests []string
	conn     *fakeConn
	on       upstream.Events
	refuse   bool
}

func (a *announcing) dial(_ context.Context, name string, _ upstream.Config, on upstream.Events) (server.Conn, error) {
	c := newConn(name)
	c.fetch = func(_ context.Context, o toolscript.FetchRequest, _ func()) (json.RawMessage, error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.requests = append(a.requests, strings.Join(strings.Fields(o.Method()+" "+o.URI+" "+o.Value), " "))
		if a.refuse {
			return nil, &toolscript.Error{Kind: toolscript.NotFound, Server: name, Err: upstream.ErrNoCapability}
		}
		return json.RawMessage(`{}`), nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.conn, a.on = c, on
	return c, nil
}

func (a *announcing) made() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.requests)
}

// watching is a watcher in a test.
type watching struct {
	mu   sync.Mutex
	told []string
	end  context.CancelFunc
	err  error
	done chan struct{}
}

func watchFor(s *actors.System, q toolscript.WatchQuery) *watching {
	ctx, cancel := context.WithCancel(context.Background())
	w := &watching{end: cancel, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		w.err = s.Watch(ctx, q, func(changes []toolscript.Change) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			for _, c := range changes {
				w.told = append(w.told, strings.Join(strings.Fields(fmt.Sprintln(c.Of, c.Server, c.URI, c.List, c.Level, c.Logger, string(c.Data))), " "))
			}
			return nil
		})
	}()
	return w
}

func (w *watching) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	told := w.told
	w.told = nil
	return told
}

func expect(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("%s: %q, want %q", what, got, want)
	}
}

// Two watchers of a resource need one subscription, which is made again on a new connection and ends
// with the second watcher.
func TestOneSubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &announcing{}
		s := startWith(t, actors.Options{Servers: map[string]upstream.Config{"a": {Type: upstream.HTTP}}, Dial: a.dial})
		settle(t, s)
		q := toolscript.WatchQuery{Resources: []toolscript.WatchedResource{{Server: "a", URI: "x:///1"}}}
		one, other := watchFor(s, q), watchFor(s, q)
		elsewhere := watchFor(s, toolscript.WatchQuery{Resources: []toolscript.WatchedResource{{Server: "a", URI: "x:///2"}}})
		synctest.Wait()
		made := a.made()
		slices.Sort(made)
		expect(t, "requests", made, "resources/subscribe x:///1", "resources/subscribe x:///2")
		a.on.NoteUpdated("x:///1")
		a.on.NoteUpdated("x:///1/part")
		a.on.NoteListChanged(toolscript.Prompts)
		synctest.Wait()
		for _, w := range []*watching{one, other} {
			expect(t, "told", w.take(), "ready", "resource a x:///1", "resource a x:///1/part")
		}
		expect(t, "told", elsewhere.take(), "ready")

		a.mu.Lock()
		a.requests = nil
		a.mu.Unlock()
		a.conn.die()
		time.Sleep(time.Minute) // in the bubble: the server is connected again
		synctest.Wait()
		made = a.made()
		slices.Sort(made)
		expect(t, "requests after the connection was lost", made, "resources/subscribe x:///1", "resources/subscribe x:///2")
		expect(t, "told after the connection was lost", one.take(), "resource a x:///1")

		one.end()
		<-one.done
		synctest.Wait()
		if made := a.made(); len(made) != 2 {
			t.Errorf("requests while one watcher is left: %q", made)
		}
		other.end()
		<-other.done
		synctest.Wait()
		expect(t, "requests at the end", a.made()[2:], "resources/unsubscribe x:///1")
		elsewhere.end()
		<-elsewhere.done
		synctest.Wait()
	})
}

func TestWatchRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &announcing{refuse: true}
		s := startWith(t, actors.Options{Servers: map[string]upstream.Config{"a": {Type: upstream.HTTP}}, Dial: a.dial})
		settle(t, s)
		of := func(server, uri string) toolscript.WatchQuery {
			return toolscript.WatchQuery{Resources: []toolscript.WatchedResource{{Server: server, URI: uri}}}
		}
		narrow := of("a", "x:///1")
		narrow.Allow = toolscript.Filter{"other"}
		many := toolscript.WatchQuery{Resources: make([]toolscript.WatchedResource, toolscript.MaxWatched+1)}
		for want, q := range map[toolscript.Kind]toolscript.WatchQuery{toolscript.NotFound: of("a", "x:///1"), toolscript.Forbidden: narrow, toolscript.Invalid: many} {
			w := watchFor(s, q)
			<-w.done
			if toolscript.KindOf(w.err) != want || len(w.take()) > 0 {
				t.Errorf("%+v: %v, want %s", q, w.err, want)
			}
		}
		for _, q := range []toolscript.WatchQuery{of("none", "x:///1"), of("a", ""), {Level: "loud"}} {
			w := watchFor(s, q)
			if <-w.done; w.err == nil {
				t.Errorf("%+v: no error", q)
			}
		}
		synctest.Wait()
		refused := len(a.made())
		a.mu.Lock()
		a.refuse = false
		a.mu.Unlock()
		w := watchFor(s, of("a", "x:///1")) // the refusal is not remembered
		synctest.Wait()
		expect(t, "told", w.take(), "ready")
		if refused != 1 {
			t.Errorf("%d requests were made for the queries that are refused", refused)
		}
		w.end()
		<-w.done
		if !errors.Is(w.err, context.Canceled) && toolscript.KindOf(w.err) != toolscript.Cancelled {
			t.Errorf("the error of a cancelled watch is %v", w.err)
		}
		synctest.Wait()
	})
}

// Servers are told the lowest level that is wanted. A server that floods reaches a watcher with a bounded
// number of messages.
func TestWatchedLogs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &announcing{}
		s := startWith(t, actors.Options{Servers: map[string]upstream.Config{"a": {Type: upstream.HTTP}}, Dial: a.dial,
			Secrets: func() map[string]string { return map[string]string{"(secret)": "a-secret-of-this-test"} }})
		settle(t, s)
		a.on.Said("error", "", json.RawMessage(`"before"`))
		errs := watchFor(s, toolscript.WatchQuery{Level: "error"})
		synctest.Wait()
		all := watchFor(s, toolscript.WatchQuery{Level: "debug", Lists: true})
		synctest.Wait()
		a.on.Said("debug", "db", json.RawMessage(`{"at":"a-secret-of-this-test"}`))
		a.on.Said("critical", "", json.RawMessage(`"down"`))
		a.on.NoteListChanged(toolscript.Resources)
		synctest.Wait()
		expect(t, "told from error on", errs.take(), "ready", `log a critical "down"`)
		expect(t, "told from debug on", all.take(), "ready", `log a debug db {"at":"(secret)"}`, `log a critical "down"`, "list a resources")
		all.end()
		<-all.done
		synctest.Wait()
		expect(t, "levels", a.made(), "logging/setLevel error", "logging/setLevel debug", "logging/setLevel error")
		time.Sleep(time.Minute) // in the bubble
		for range 5000 {
			a.on.Said("alert", "", json.RawMessage(`1`))
		}
		synctest.Wait()
		told := errs.take()
		time.Sleep(time.Minute) // in the bubble
		told = append(told, errs.take()...)
		if last := told[len(told)-1]; len(told) != 201 || last != `log warning "4800 log messages of servers were left out"` {
			t.Errorf("of a flood of 5000 messages %d were told, the last one %s", len(told), last)
		}
		errs.end()
		<-errs.done
		synctest.Wait()
	})
}

// A server with a subscription does not rest.
func TestSubscribedServerDoesNotRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &announcing{}
		s := startWith(t, actors.Options{Servers: map[string]upstream.Config{"a": idle("a")}, Dial: a.dial})
		settle(t, s)
		w := watchFor(s, toolscript.WatchQuery{Resources: []toolscript.WatchedResource{{Server: "a", URI: "x:///1"}}})
		time.Sleep(time.Hour)
		if state := stateOf(t, s, "a"); state != toolscript.Ready {
			t.Errorf("with a subscription, the server is %s", state)
		}
		w.end()
		<-w.done
		time.Sleep(time.Hour)
		if state := stateOf(t, s, "a"); state != toolscript.Resting {
			t.Errorf("without a subscription, the server is %s", state)
		}
	})
}
