package live_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/live"
)

// servers are the servers of a Watches in a test.
type servers struct {
	*live.Watches
	mu        sync.Mutex
	requests  []string
	cleaned   int
	refuses   bool   // the requests that no watcher waits for
	meanwhile func() // during a request of a watcher
}

func newServers(t *testing.T) *servers {
	t.Helper()
	s := &servers{meanwhile: func() {}}
	s.Watches = &live.Watches{
		Subscribe: func(_ context.Context, o toolscript.FetchRequest) error {
			s.meanwhile()
			return s.request(o)
		},
		Announce: func(_ context.Context, o toolscript.FetchRequest) error {
			if s.refuses {
				return errors.New("no")
			}
			return s.request(o)
		},
		Check: func(toolscript.FetchRequest) error { return nil },
		Ready: func() []string { return []string{"a", "b"} },
		Clean: func(_, text string) string {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.cleaned++
			return strings.ReplaceAll(text, "a-secret-of-this-test", "(secret)")
		},
		Work: new(mailbox.Group), Closing: t.Context(), Logger: slog.New(slog.DiscardHandler),
	}
	return s
}

func (s *servers) request(o toolscript.FetchRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, o.Method()+" "+o.Server+" "+o.URI+o.Value)
	return nil
}

func (s *servers) made() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func resource(server, uri string) toolscript.WatchQuery {
	return toolscript.WatchQuery{Resources: []toolscript.WatchedResource{{Server: server, URI: uri}}}
}

// watch starts a watcher. stop ends it and returns the changes that it received.
func (s *servers) watch(q toolscript.WatchQuery, emit func([]toolscript.Change)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Watch(ctx, q, func(c []toolscript.Change) error { emit(c); return nil })
	}()
	return func() { cancel(); <-done }
}

// TestReconnectedDuringSubscription: a subscription that was made on a connection that is lost is made again.
func TestReconnectedDuringSubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServers(t)
		s.meanwhile = func() { s.Connected("a"); time.Sleep(time.Second) } // the answer of the first connection arrives late
		stop := s.watch(resource("a", "x:///1"), func([]toolscript.Change) {})
		time.Sleep(time.Minute) // in the bubble
		if got := s.made(); len(got) != 2 {
			t.Errorf("requests: %q, want the subscription twice", got)
		}
		stop()
		synctest.Wait()
	})
}

// TestNotSubscribedAgain: after a server has refused to subscribe on a new connection, the next watcher asks it.
func TestNotSubscribedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServers(t)
		stop := s.watch(resource("a", "x:///1"), func([]toolscript.Change) {})
		synctest.Wait()
		s.refuses = true
		s.Connected("a")
		synctest.Wait()
		s.refuses = false
		stopNext := s.watch(resource("a", "x:///1"), func([]toolscript.Change) {})
		synctest.Wait()
		if got := s.made(); len(got) != 2 {
			t.Errorf("requests: %q, want the subscription twice", got)
		}
		stop()
		stopNext()
		synctest.Wait()
	})
}

// TestServerThatDoesNotAnswer: a server that does not answer delays the log messages of the others by a second at most, and
// a subscription ends with an error.
func TestServerThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServers(t)
		silent := func(ctx context.Context, _ toolscript.FetchRequest) error { <-ctx.Done(); return ctx.Err() }
		s.Subscribe, s.Announce = silent, silent
		begun := time.Now()
		for range 3 {
			ready := make(chan time.Time, 1)
			stop := s.watch(toolscript.WatchQuery{Level: "debug"}, func([]toolscript.Change) { ready <- time.Now() })
			if took := (<-ready).Sub(begun); took > time.Second {
				t.Errorf("a watcher has waited for %s", took)
			}
			stop()
			begun = time.Now()
		}
		err := s.Watch(t.Context(), resource("a", "x:///1"), func([]toolscript.Change) error { return nil })
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a subscription that is not answered: %v", err)
		}
		time.Sleep(time.Hour) // in the bubble
		if s.Subscribed("a") {
			t.Error("a subscription is left")
		}
	})
}

// TestLogIsCleanedOnce: the secrets in a log message are removed once, not for each watcher, and before the name of the
// logger is cut.
func TestLogIsCleanedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServers(t)
		var told string
		defer s.watch(toolscript.WatchQuery{Level: "debug"}, func(c []toolscript.Change) { told += fmt.Sprint(c) })()
		for range 50 {
			defer s.watch(toolscript.WatchQuery{Level: "debug"}, func([]toolscript.Change) {})()
		}
		synctest.Wait()
		s.Tell(toolscript.Change{Of: toolscript.ChangeLog, Server: "a", Level: "error", Logger: strings.Repeat("x", 85) + "a-secret-of-this-test", Data: json.RawMessage(`1`)})
		synctest.Wait()
		if s.cleaned != 2 { // the logger and the data
			t.Errorf("%d texts were cleaned for one message", s.cleaned)
		}
		if strings.Contains(told, "a-secret") || !strings.Contains(told, "xxxxx(secret)") {
			t.Errorf("told %s", told)
		}
	})
}

// TestFloodOfOneServer: the changes that one server announces do not hide those of another.
func TestFloodOfOneServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServers(t)
		q := toolscript.WatchQuery{Resources: []toolscript.WatchedResource{{Server: "a", URI: "x:///"}, {Server: "b", URI: "y:///"}}}
		slow := make(chan struct{})
		var told []string
		stop := s.watch(q, func(all []toolscript.Change) {
			for _, c := range all {
				told = append(told, c.URI)
			}
			<-slow
		})
		synctest.Wait()
		s.Tell(toolscript.Change{Of: toolscript.ChangeResource, Server: "b", URI: "y:///" + strings.Repeat("y", 10_000)})
		for i := range 1000 {
			s.Tell(toolscript.Change{Of: toolscript.ChangeResource, Server: "a", URI: fmt.Sprint("x:///", i)})
		}
		s.Tell(toolscript.Change{Of: toolscript.ChangeResource, Server: "b", URI: "y:///1"})
		close(slow)
		synctest.Wait()
		stop()
		if len(told) != 402 || told[1] != "y:///" || told[400] != "x:///398" || told[401] != "x:///" {
			t.Errorf("%d changes: %q", len(told), told)
		}
	})
}

// TestClientThatDoesNotRead: the log messages that wait for a client are bounded, however long it does not read.
func TestClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServers(t)
		slow := make(chan struct{})
		var told []toolscript.Change
		stop := s.watch(toolscript.WatchQuery{Level: "debug"}, func(c []toolscript.Change) { told = append(told, c...); <-slow })
		synctest.Wait()
		for range 300 {
			for range 300 {
				s.Tell(toolscript.Change{Of: toolscript.ChangeLog, Server: "a", Level: "error", Data: json.RawMessage(`1`)})
			}
			time.Sleep(2 * time.Second) // in the bubble
		}
		close(slow)
		synctest.Wait()
		stop()
		if last := string(told[len(told)-1].Data); len(told) > 210 || !strings.Contains(last, "log messages of servers were left out") {
			t.Errorf("%d changes waited, the last one %s", len(told), last)
		}
	})
}

// TestWatchersThatLeave: watchers leave neither goroutines, which the bubble would miss, nor subscriptions behind.
func TestWatchersThatLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServers(t)
		var wait sync.WaitGroup
		for i := range 300 {
			wait.Go(func() {
				q := resource("a", fmt.Sprint("x:///", i%7))
				q.Level, q.Lists = []string{"debug", "error", ""}[i%3], true
				ready := make(chan struct{})
				stop := s.watch(q, func(c []toolscript.Change) {
					if len(c) > 0 && c[0].Of == toolscript.ChangeReady {
						close(ready)
					}
				})
				if i%5 > 0 {
					<-ready
				}
				s.Connected("a")
				s.Tell(toolscript.Change{Of: toolscript.ChangeResource, Server: "a", URI: fmt.Sprint("x:///", i%7)})
				stop()
			})
		}
		wait.Wait()
		synctest.Wait()
		last := map[string]string{}
		for _, made := range s.made() {
			if request, uri, is := strings.Cut(made, " a x:///"); is {
				last[uri] = request
			}
		}
		for uri, request := range last {
			if request != "resources/unsubscribe" {
				t.Errorf("x:///%s: the last request is %s", uri, request)
			}
		}
		if s.Subscribed("a") || len(last) != 7 {
			t.Errorf("a subscription is left, or one of seven was not made: %q", last)
		}
	})
}
