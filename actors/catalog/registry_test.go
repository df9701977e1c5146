package catalog_test

import (
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/anthdm/hollywood/actor"
	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// rig is a registry under a parent that records the published events. As in a System,
// the published View survives a restart of the registry.
type rig struct {
	engine *actor.Engine
	root   *actor.PID
	pid    *actor.PID

	mu        sync.Mutex
	view      catalog.View
	published int
	facts     []any
}

func start(t *testing.T, servers ...string) *rig {
	t.Helper()
	engine, err := actor.NewEngine(actor.NewEngineConfig())
	if err != nil {
		t.Fatal(err)
	}
	var statuses []toolscript.ServerStatus
	for _, name := range servers {
		statuses = append(statuses, toolscript.ServerStatus{Name: name, State: toolscript.Connecting})
	}
	r := &rig{engine: engine, view: catalog.First(statuses)}
	r.spawn()
	t.Cleanup(r.stop)
	return r
}

func (r *rig) spawn() {
	child := catalog.New(catalog.Options{Current: r.current, Publish: r.publish, Logger: slog.New(slog.DiscardHandler)})
	r.root = r.engine.SpawnFunc(func(c *actor.Context) {
		switch m := c.Message().(type) {
		case actor.Started:
			r.pid = c.SpawnChild(func() actor.Receiver { return child }, "child", mailbox.NewLife().Options("registry")...)
		case catalog.Changed, catalog.RegistryStarted:
			r.mu.Lock()
			defer r.mu.Unlock()
			r.facts = append(r.facts, m)
		}
	}, "root", mailbox.NewLife().Options("0")...)
	synctest.Wait()
}

func (r *rig) stop() { <-r.engine.Poison(r.root).Done() }

func (r *rig) current() catalog.View {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.view
}

func (r *rig) publish(v catalog.View) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.view, r.published = v, r.published+1
}

func (r *rig) send(facts ...any) {
	for _, fact := range facts {
		r.engine.Send(r.pid, fact)
	}
	synctest.Wait()
}

func tools(server string, names ...string) []toolscript.Tool {
	var all []toolscript.Tool
	for _, name := range names {
		all = append(all, toolscript.Tool{Server: server, Name: name})
	}
	return all
}

func ids(c toolscript.Catalog) []string {
	var all []string
	for _, t := range c.Tools() {
		all = append(all, t.ID())
	}
	return all
}

func TestToolsOfAllServersMakeOneCatalog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, "b", "a")
		r.send(
			catalog.ToolsChanged{Server: "b", Tools: tools("b", "y", "x")},
			catalog.ToolsChanged{Server: "a", Tools: tools("a", "z"), Warnings: []string{"odd"}},
			catalog.ToolsChanged{Server: "b", Tools: tools("b", "x")},
		)
		view := r.current()
		if diff := cmp.Diff([]string{"a__z", "b__x"}, ids(view.Catalog)); diff != "" {
			t.Errorf("tools (-want +got):\n%s", diff)
		}
		if got := view.Catalog.Generation(); got != 3 {
			t.Errorf("generation = %d, want 3", got)
		}
		if a := view.Servers[0]; !cmp.Equal(a.Warnings, []string{"odd"}) {
			t.Errorf("warnings of %s = %q", a.Name, a.Warnings)
		}
		last, ok := r.facts[len(r.facts)-1].(catalog.Changed)
		if !ok || last.Generation != 3 {
			t.Errorf("last fact = %+v, want the catalog in force", r.facts[len(r.facts)-1])
		}
		r.send(catalog.ToolsChanged{Server: "b"})
		if got := ids(r.current().Catalog); !cmp.Equal(got, []string{"a__z"}) {
			t.Errorf("tools after b's are gone = %q", got)
		}
	})
}

func TestTheSameToolsAgainMakeNoGeneration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, "a")
		r.send(catalog.ToolsChanged{Server: "a", Tools: tools("a", "x")}, catalog.ToolsChanged{Server: "a", Tools: tools("a", "x")})
		if got := r.current().Catalog.Generation(); got != 1 {
			t.Errorf("generation = %d, want 1", got)
		}
		if got := len(r.facts); got != 3 { // two at the start, and one catalog
			t.Errorf("%d facts, want 3", got)
		}
	})
}

// TestPublishedViewsNeverChange checks that Views are immutable: readers hold no
// lock.
func TestPublishedViewsNeverChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, "a")
		first := r.current()
		r.send(
			catalog.ServerChanged{Status: toolscript.ServerStatus{Name: "a", State: toolscript.Ready}},
			catalog.ToolsChanged{Server: "a", Tools: tools("a", "x")},
		)
		if first.Servers[0].State != toolscript.Connecting || first.Catalog.Len() != 0 {
			t.Errorf("the first view has become %+v", first)
		}
		if second := r.current(); second.Servers[0].State != toolscript.Ready || second.Catalog.Len() != 1 {
			t.Errorf("the second view is %+v", second)
		}
	})
}

func TestSettledStaysSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, "a")
		for _, step := range []struct {
			state toolscript.ServerState
			want  bool
		}{{toolscript.Connecting, false}, {toolscript.Backoff, true}, {toolscript.Connecting, true}} {
			r.send(catalog.ServerChanged{Status: toolscript.ServerStatus{Name: "a", State: step.state}})
			if a := r.current().Servers[0]; a.Settled != step.want {
				t.Errorf("settled in %s = %v, want %v", step.state, a.Settled, step.want)
			}
		}
	})
}

// TestRestartedRegistryContinues checks that a restart keeps the catalog, uses no
// generation twice, and asks the servers for the events that the registry missed.
func TestRestartedRegistryContinues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, "a", "b")
		r.send(catalog.ToolsChanged{Server: "a", Tools: tools("a", "x")})
		r.stop()
		r.facts = nil
		r.spawn()
		if got := ids(r.current().Catalog); !cmp.Equal(got, []string{"a__x"}) {
			t.Errorf("tools after the restart = %q", got)
		}
		if len(r.facts) != 2 || r.facts[1] != (catalog.RegistryStarted{}) {
			t.Errorf("facts = %+v, want the catalog and RegistryStarted", r.facts)
		}
		if c, ok := r.facts[0].(catalog.Changed); !ok || c.Generation != 1 {
			t.Errorf("first fact = %+v, want the catalog in force", r.facts[0])
		}
		r.send(catalog.ToolsChanged{Server: "b", Tools: tools("b", "y")})
		if got := r.current().Catalog; got.Generation() != 2 || got.Len() != 2 {
			t.Errorf("generation %d with %q, want 2 with both tools", got.Generation(), ids(got))
		}
	})
}
