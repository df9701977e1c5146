package server_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// listing returns a dial function for a server whose n-th list comes from list.
func listing(list func(ctx context.Context, n int) ([]toolscript.Tool, error)) func(context.Context, int) (server.Conn, error) {
	return func(context.Context, int) (server.Conn, error) {
		var lists atomic.Int32
		c := newConn()
		c.list = func(ctx context.Context) ([]toolscript.Tool, error) { return list(ctx, int(lists.Add(1))) }
		return c, nil
	}
}

// numbered returns a list that contains its number.
func numbered(_ context.Context, n int) ([]toolscript.Tool, error) {
	return tools(fmt.Sprint("list", n)), nil
}

// The server is listed at once, and once more for all notifications that follow
// shortly after.
func TestListChangedStormIsFewLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, options{dial: listing(numbered)})
		r.take()
		for range 1000 {
			r.toolsChanged()
		}
		time.Sleep(time.Minute)
		want := []string{"tools: list2", "ready", "tools: list3", "ready"}
		if diff := cmp.Diff(want, describe(r.take())); diff != "" {
			t.Errorf("after a burst (-want +got):\n%s", diff)
		}
		if got := len(r.dialTimes()); got != 1 {
			t.Errorf("%d dials, want 1", got)
		}
		for range 10_000 { // ten seconds, with a thousand notifications per second
			r.toolsChanged()
			time.Sleep(time.Millisecond)
		}
		if facts := len(r.take()); facts > 2*45 {
			t.Errorf("%d facts of a ten-second storm, want at most 90", facts)
		}
	})
}

// TestListChangedDuringTheFirstList: a change during a list causes another list, because the first one may be older
// than the change.
func TestListChangedDuringTheFirstList(t *testing.T) {
	list := func(ctx context.Context, n int) ([]toolscript.Tool, error) {
		time.Sleep(time.Second)
		return numbered(ctx, n)
	}
	synctest.Test(t, func(t *testing.T) {
		r := start(t, options{dial: listing(list)})
		r.toolsChanged()
		time.Sleep(3 * time.Second)
		want := []string{"connecting", "tools: list1", "ready", "tools: list2", "ready"}
		if diff := cmp.Diff(want, describe(r.take())); diff != "" {
			t.Errorf("facts (-want +got):\n%s", diff)
		}
	})
}

// TestFailedListKeepsTheTools: after a failed list the connection is up and calls may succeed, so the tools stay.
func TestFailedListKeepsTheTools(t *testing.T) {
	tests := []struct {
		name string
		fail func(context.Context) error
		took time.Duration
	}{
		{"answers with an error", func(context.Context) error { return errors.New("no") }, 0},
		{"never answers", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, 30 * time.Second},
		{"panics", func(context.Context) error { panic("list") }, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list := func(ctx context.Context, n int) ([]toolscript.Tool, error) {
				if n == 2 {
					return nil, tt.fail(ctx)
				}
				return numbered(ctx, n)
			}
			synctest.Test(t, func(t *testing.T) {
				r := start(t, options{dial: listing(list)})
				r.take()
				r.toolsChanged()
				time.Sleep(tt.took)
				if got := describe(r.take()); !cmp.Equal(got, []string{"ready"}) {
					t.Errorf("facts = %q, want only that the server is ready, with an error", got)
				}
				if status := r.status(); status.Tools != 1 || status.Error == "" {
					t.Errorf("status = %+v, want one tool and an error", status)
				}
				time.Sleep(5 * time.Second)
				if got := describe(r.take()); !cmp.Equal(got, []string{"tools: list3", "ready"}) {
					t.Errorf("facts of the next list = %q", got)
				}
				if status := r.status(); status.Error != "" {
					t.Errorf("error = %q after a list that succeeded", status.Error)
				}
			})
		})
	}
}

// The result of a list that ends after its connection must not affect the next
// connection.
func TestEventsOfALostConnectionAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := newConn()
		lists := 0
		first.list = func(context.Context) ([]toolscript.Tool, error) {
			if lists++; lists > 1 {
				time.Sleep(10 * time.Second) // ignores its context
			}
			return tools("old"), nil
		}
		r := start(t, options{dial: func(_ context.Context, n int) (server.Conn, error) {
			if n == 1 {
				return first, nil
			}
			return withTools("new"), nil
		}})
		r.toolsChanged()
		synctest.Wait()
		first.die(nil)
		time.Sleep(5 * time.Second)
		r.take()
		time.Sleep(time.Minute)
		if facts := r.take(); len(facts) != 0 {
			t.Errorf("facts = %q, want none", describe(facts))
		}
		if status := r.status(); status.Tools != 1 || status.State != toolscript.Ready {
			t.Errorf("status = %+v", status)
		}
	})
}

func TestConfigurationSelectsTools(t *testing.T) {
	config := upstream.Config{IncludeTools: []string{"get_*", "puts", "lost", "put", "new_*"}, ExcludeTools: []string{"get_secret"}}
	dial := func(context.Context, int) (server.Conn, error) {
		return withTools("get_a", "get_secret", "put", "drop"), nil
	}
	synctest.Test(t, func(t *testing.T) {
		r := start(t, options{config: config, dial: dial})
		for _, fact := range r.take() {
			m, ok := fact.(catalog.ToolsChanged)
			if !ok {
				continue
			}
			if diff := cmp.Diff(tools("get_a", "put"), m.Tools); diff != "" {
				t.Errorf("tools (-want +got):\n%s", diff)
			}
			want := []string{`fake: includeTools or excludeTools has "puts", and the server has no such tool; did you mean put? see: toolscript list-tools fake`}
			if diff := cmp.Diff(want, m.Warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		}
	})
}

func TestAnnounceRepeatsAllFacts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := withTools("a")
		r := start(t, options{dial: func(_ context.Context, n int) (server.Conn, error) {
			if n == 1 {
				return conn, nil
			}
			return nil, errRefused
		}})
		r.take()
		r.at.Engine.Send(r.at.PID, server.Announce{})
		if got := describe(r.take()); !cmp.Equal(got, []string{"tools: a", "ready"}) {
			t.Errorf("while ready: %q", got)
		}
		conn.die(nil)
		r.take()
		r.at.Engine.Send(r.at.PID, server.Announce{})
		if got := describe(r.take()); !cmp.Equal(got, []string{"backoff", "tools: a"}) {
			t.Errorf("while down: %q", got)
		}
	})
}
