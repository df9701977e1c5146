package actors_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

type roll struct {
	mu    sync.Mutex
	names []string
}

func (r *roll) dial(_ context.Context, name string, _ upstream.Config, _ upstream.Events) (server.Conn, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names = append(r.names, name)
	return newConn(name), nil
}

// dialled returns the names so far, sorted.
func (r *roll) dialled() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(slices.Values(r.names))
}

// startOnDemand starts a System with the servers a, b and c on demand.
func startOnDemand(t *testing.T) (*actors.System, *roll) {
	t.Helper()
	r := &roll{}
	s := startWith(t, actors.Options{
		Servers: map[string]upstream.Config{"a": {}, "b": {}, "c": {}}, Dial: r.dial, OnDemand: true,
	})
	time.Sleep(time.Hour)
	if names := r.dialled(); len(names) > 0 {
		t.Errorf("dialled at the start: %q", names)
	}
	return s, r
}

// TestServersOnDemand checks that servers on demand are connecting until Await
// selects them. Close, at the end of each test, ends servers that were never dialled.
func TestServersOnDemand(t *testing.T) {
	for _, tt := range []struct {
		name   string
		filter toolscript.Filter
		want   []string
	}{
		{"one", toolscript.Filter{"b"}, []string{"b"}},
		{"by its tool", toolscript.Filter{"b__echo"}, []string{"b"}},
		{"two", toolscript.Filter{"a", "c"}, []string{"a", "c"}},
		{"all", nil, []string{"a", "b", "c"}},
		{"nobody", toolscript.Filter{"d"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, r := startOnDemand(t)
				waitedFor, pending := s.Await(t.Context(), tt.filter)
				if diff := cmp.Diff(tt.want, waitedFor); diff != "" || pending != nil {
					t.Errorf("waited for (-want +got), %q still connecting:\n%s", pending, diff)
				}
				s.Await(t.Context(), tt.filter)
				if diff := cmp.Diff(tt.want, r.dialled()); diff != "" {
					t.Errorf("dialled (-want +got):\n%s", diff)
				}
				for _, name := range tt.want {
					if err := echo(t, s, name); err != nil {
						t.Errorf("echo of %s: %v", name, err)
					}
				}
			})
		})
	}
}

func TestCallStartsItsServerOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := startOnDemand(t)
		if err := echo(t, s, "b"); toolscript.KindOf(err) != toolscript.Unavailable {
			t.Errorf("first call = %v, want unavailable", err)
		}
		if diff := cmp.Diff([]string{"b"}, r.dialled()); diff != "" {
			t.Errorf("dialled (-want +got):\n%s", diff)
		}
		if err := echo(t, s, "b"); err != nil {
			t.Errorf("second call: %v", err)
		}
	})
}

// TestRunWaitsForTheReasonOfAFailure checks that a run waits until the reason of a
// failed connection is known. The server starts to connect when the run waits, and
// needs some time to end after its connect time.
func TestRunWaitsForTheReasonOfAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startWith(t, actors.Options{
			Servers: map[string]upstream.Config{"silent": {}}, OnDemand: true,
			Dial: func(ctx context.Context, _ string, _ upstream.Config, _ upstream.Events) (server.Conn, error) {
				<-ctx.Done()
				time.Sleep(5 * time.Second)
				return nil, ctx.Err()
			},
		})
		deps := actors.RunDeps(s)
		ctx, cancel := context.WithTimeout(t.Context(), deps.ConnectTime)
		defer cancel()
		deps.Await(ctx, toolscript.Filter{"silent"})
		if _, err := deps.Resolve(t.Context(), "silent__echo", nil, 0); !strings.Contains(err.Error(), "not connected within 1m0s: context deadline exceeded") {
			t.Errorf("a call after the wait = %v, want the reason", err)
		}
	})
}

// TestKnownToolsNeedNoConnection checks that a search, without a connection, finds
// the tools that servers on demand listed last and that their filters select.
func TestKnownToolsNeedNoConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &roll{}
		s := startWith(t, actors.Options{
			Servers: map[string]upstream.Config{"a": {ExcludeTools: []string{"other"}}, "b": {}}, Dial: r.dial, OnDemand: true,
			Known: map[string][]toolscript.Tool{"a": {{Server: "a", Name: "echo"}, {Server: "a", Name: "other"}}},
		})
		a, err := s.Search(t.Context(), toolscript.SearchQuery{Text: "echo"})
		if err != nil || found(a) != "a__echo" || len(a.Results) != 1 {
			t.Errorf("found %+v, %v", a, err)
		}
		if len(a.Missing) != 1 || a.Missing[0].Name != "b" {
			t.Errorf("missing: %+v, want b alone", a.Missing)
		}
		synctest.Wait()
		if n, g := s.Catalog().Len(), s.Catalog().Generation(); n != 1 || g != 0 {
			t.Errorf("%d tools of generation %d, want one from the start", n, g)
		}
		if names := r.dialled(); len(names) > 0 {
			t.Errorf("dialled: %q", names)
		}
		s.Await(t.Context(), toolscript.Filter{"a"})
		if err := echo(t, s, "a"); err != nil {
			t.Error(err)
		}
		if names := r.dialled(); !slices.Equal(names, []string{"a"}) {
			t.Errorf("dialled: %q, want a", names)
		}
	})
}
