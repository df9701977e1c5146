package actors_test

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// TestConfigure: what is the same keeps its connection, what is gone is closed
// and unknown, what has changed is connected to anew.
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
		next := map[string]mcpclient.Config{
			"kept":    {Type: mcpclient.Stdio},
			"changed": {Type: mcpclient.Stdio, Timeout: time.Second},
			"new":     {Type: mcpclient.Stdio},
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

// TestConfigureOverAndOver ends with the last configuration, however little
// time there was for those before.
func TestConfigureOverAndOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, dialer{}, "a", "b")
		for i := range 20 {
			set := map[string]mcpclient.Config{"a": {Timeout: time.Duration(i) * time.Second}}
			if i%2 == 0 {
				set["b"] = mcpclient.Config{}
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

// TestARestartedRegistryKnowsTheConfiguredServers that it was told of while it
// was down.
func TestARestartedRegistryKnowsTheConfiguredServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &trap{message: "catalog changed"}
		s := startWith(t, actors.Options{Servers: map[string]mcpclient.Config{"a": {}}, Dial: dialer{}.dial, Logger: slog.New(h)})
		settle(t, s)
		synctest.Wait()
		h.armed.Store(1)
		set := map[string]mcpclient.Config{"a": {}, "b": {}}
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
