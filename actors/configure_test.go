package actors_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
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

// TestConfigure checks that a server keeps its connection if it is unchanged or
// differs only in limits and filters, that a removed server is closed, and that a
// changed server is connected again.
func TestConfigure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		dials, closed := map[string]int{}, map[string]int{}
		count := func(of map[string]int, name string) {
			mu.Lock()
			defer mu.Unlock()
			of[name]++
		}
		dialled := func(name string) func(context.Context) (server.Conn, error) {
			return func(context.Context) (server.Conn, error) {
				conn := newConn(name)
				conn.close = func() { count(closed, name) }
				count(dials, name)
				return conn, nil
			}
		}
		s := start(t, dialer{"kept": dialled("kept"), "changed": dialled("changed"), "gone": dialled("gone"), "new": dialled("new")},
			"kept", "changed", "gone")
		settle(t, s)
		next := map[string]upstream.Config{
			"kept":    {Type: upstream.HTTP},
			"changed": {Type: upstream.HTTP, URL: "http://127.0.0.1:1/other"},
			"new":     {Type: upstream.HTTP},
		}
		got, err := s.Configure(t.Context(), next)
		if err != nil {
			t.Fatal(err)
		}
		want := toolscript.Reload{
			Added: []string{"new"}, Removed: []string{"gone"}, Changed: []string{"changed"}, Unchanged: []string{"kept"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Reload (-want +got):\n%s", diff)
		}
		synctest.Wait()
		for _, name := range []string{"kept", "changed", "new"} {
			if err := echo(t, s, name); err != nil {
				t.Errorf("echo of %s: %v", name, err)
			}
		}
		if err := echo(t, s, "gone"); toolscript.KindOf(err) != toolscript.NotFound {
			t.Errorf("echo of gone = %v, want not found", err)
		}
		if diff := cmp.Diff([]string{"changed", "kept", "new"}, s.Catalog().Servers()); diff != "" {
			t.Errorf("servers (-want +got):\n%s", diff)
		}
		mu.Lock()
		defer mu.Unlock()
		if diff := cmp.Diff(map[string]int{"kept": 1, "changed": 2, "gone": 1, "new": 1}, dials); diff != "" {
			t.Errorf("dials (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[string]int{"changed": 1, "gone": 1}, closed); diff != "" {
			t.Errorf("connections closed (-want +got):\n%s", diff)
		}
	})
}

// TestConfigureAdjusts checks that new limits and filters of a server need no new
// connection, and apply after a restart of its actor.
func TestConfigureAdjusts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dials := 0
		s := start(t, dialer{"a": func(context.Context) (server.Conn, error) {
			dials++
			conn := newConn("a", "echo", "other")
			conn.call = func(ctx context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
				if string(args) == "{}" {
					<-ctx.Done()
					return nil, context.Cause(ctx)
				}
				return args, nil
			}
			return conn, nil
		}}, "a")
		settle(t, s)
		for _, test := range []struct {
			config upstream.Config
			tools  int
			limit  time.Duration
		}{
			{upstream.Config{Type: upstream.HTTP, Timeout: time.Second, ExcludeTools: []string{"other"}}, 1, time.Second},
			{upstream.Config{Type: upstream.HTTP, Timeout: 3 * time.Second, Concurrency: 1, RateLimit: upstream.RateLimit{Calls: 1, Per: time.Second, Burst: 1}}, 2, 3 * time.Second},
		} {
			got, err := s.Configure(t.Context(), map[string]upstream.Config{"a": test.config})
			if err != nil || !cmp.Equal(got.Adjusted, []string{"a"}) || len(got.Changed)+len(got.Unchanged) > 0 {
				t.Fatalf("Reload = %+v, %v", got, err)
			}
			synctest.Wait()
			if got := s.Catalog().Len(); got != test.tools {
				t.Errorf("%d tools, want %d", got, test.tools)
			}
			begin := time.Now()
			_, err = s.CallTool(t.Context(), toolscript.Call{ID: "a__echo"})
			if took := time.Since(begin); toolscript.KindOf(err) != toolscript.Timeout || took != test.limit {
				t.Errorf("a call that hangs ended after %s with %v, want %s", took, err, test.limit)
			}
		}
		if dials != 1 {
			t.Errorf("%d connections, want one", dials)
		}
	})
}

// TestRepeatedConfigure checks that the last of many quick changes applies at the
// end.
func TestRepeatedConfigure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, dialer{}, "a", "b")
		for i := range 20 {
			set := map[string]upstream.Config{"a": {Command: fmt.Sprint(i / 2), Timeout: time.Duration(i) * time.Second}}
			if i%2 == 0 {
				set["b"] = upstream.Config{}
			}
			if _, err := s.Configure(t.Context(), set); err != nil {
				t.Fatal(err)
			}
		}
		settle(t, s)
		synctest.Wait()
		if err := echo(t, s, "a"); err != nil {
			t.Errorf("echo of a: %v", err)
		}
		servers, err := s.Servers(t.Context())
		if err != nil || len(servers) != 1 || servers[0].State != toolscript.Ready {
			t.Errorf("servers = %+v, %v", servers, err)
		}
		if _, err := s.Configure(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n, servers := s.Catalog().Len(), s.Catalog().Servers(); n != 0 || len(servers) != 0 {
			t.Errorf("with no server configured there are %d tools of %q", n, servers)
		}
	})
}

// TestConfigureOfACallerWhoHasGone: servers are added and replaced only for a caller who waits, and ended for any caller.
// Afterwards the configured servers are those that run.
func TestConfigureOfACallerWhoHasGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, dialer{}, "a")
		gone, leave := context.WithCancel(t.Context())
		leave()
		if _, err := s.Configure(gone, map[string]upstream.Config{"b": {}}); toolscript.KindOf(err) != toolscript.Cancelled {
			t.Errorf("Configure: %v", err)
		}
		if err := s.OfferServer(gone, "b", upstream.Config{}); toolscript.KindOf(err) != toolscript.Cancelled {
			t.Errorf("OfferServer: %v", err)
		}
		settle(t, s)
		synctest.Wait()
		if got := s.Catalog().Servers(); !slices.Equal(got, []string{"a"}) || len(s.Configured()) != 1 {
			t.Errorf("servers %q, configured %v", got, s.Configured())
		}
		if err := s.WithdrawServer(gone, "a"); err != nil {
			t.Errorf("WithdrawServer: %v", err)
		}
		synctest.Wait()
		if got := s.Catalog().Servers(); len(got) != 0 || len(s.Configured()) != 0 {
			t.Errorf("after the end: servers %q, configured %v", got, s.Configured())
		}
	})
}

// TestARestartedRegistryKnowsTheConfiguredServers checks that a change is not lost
// while the registry is down.
func TestARestartedRegistryKnowsTheConfiguredServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &trap{message: "catalog changed"}
		s := startWith(t, actors.Options{Servers: map[string]upstream.Config{"a": {}}, Dial: dialer{}.dial, Logger: slog.New(h)})
		settle(t, s)
		synctest.Wait()
		h.armed.Store(1)
		set := map[string]upstream.Config{"a": {}, "b": {}}
		if _, err := s.Configure(t.Context(), maps.Clone(set)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if a := actorNamed(t, s, "registry"); a.Restarts != 1 {
			t.Fatalf("registry: %+v, want one restart", a)
		}
		for name := range set {
			if err := echo(t, s, name); err != nil {
				t.Errorf("echo of %s: %v", name, err)
			}
		}
	})
}
