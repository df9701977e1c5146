package typecache_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/typecache"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/internal/naming"
)

// rig is a type cache and a catalog that counts requests for its names: one for each
// generated module.
type rig struct {
	t    *testing.T
	at   mailbox.Address
	view atomic.Pointer[catalog.View]
	made atomic.Int32
}

func start(t *testing.T) *rig {
	t.Helper()
	engine, err := actor.NewEngine(actor.NewEngineConfig())
	if err != nil {
		t.Fatal(err)
	}
	var work mailbox.Group
	life := mailbox.NewLife()
	r := &rig{t: t}
	r.view.Store(&catalog.View{Names: func() *naming.Names { return naming.New(toolscript.Catalog{}) }})
	cache := typecache.New(typecache.Options{Current: func() catalog.View { return *r.view.Load() }, Logger: slog.New(slog.DiscardHandler), Work: &work})
	pid := engine.Spawn(func() actor.Receiver { return cache }, "cache", life.Options("0")...)
	t.Cleanup(func() {
		<-engine.Poison(pid).Done()
		<-work.Idle()
	})
	r.at = mailbox.Address{Engine: engine, PID: pid, Ended: life.Ended()}
	return r
}

// catalog returns a catalog of one server with these tools. Choosing its names takes
// some time.
func (r *rig) catalog(generation uint64, tools ...string) catalog.View {
	var all []toolscript.Tool
	for _, name := range tools {
		all = append(all, toolscript.Tool{Server: "a", Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)})
	}
	c := toolscript.NewCatalog(generation, []string{"a"}, all)
	return catalog.View{Catalog: c, Names: func() *naming.Names {
		r.made.Add(1)
		time.Sleep(time.Millisecond)
		return naming.New(c)
	}}
}

// render publishes a catalog, unless a newer one is published, and requests a module.
func (r *rig) render(c catalog.View, filter string, form codegen.Form) (toolscript.Module, error) {
	r.t.Helper()
	if c.Catalog.Generation() > r.view.Load().Catalog.Generation() {
		r.view.Store(&c)
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	defer cancel()
	rendered, err := mailbox.Ask(ctx, r.at, func(reply mailbox.Reply[typecache.Rendered]) any {
		return typecache.Render{Filter: toolscript.ParseFilter(filter), Options: codegen.Options{Form: form}, Reply: reply}
	})
	return rendered.Module, err
}

func (r *rig) mustRender(c catalog.View, filter string) toolscript.Module {
	r.t.Helper()
	m, err := r.render(c, filter, codegen.Full)
	if err != nil {
		r.t.Fatalf("Render(%q): %v", filter, err)
	}
	return m
}

func TestConcurrentRequestsShareOneModule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		c := r.catalog(1, "x", "y")
		var asking sync.WaitGroup
		for range 100 {
			asking.Go(func() { r.mustRender(c, "") })
		}
		asking.Wait()
		r.mustRender(c, "")
		if n := r.made.Load(); n != 1 {
			t.Errorf("made %d times, want 1", n)
		}
	})
}

func TestModulesDifferByFilterAndForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		c := r.catalog(1, "x", "y")
		all, x := r.mustRender(c, ""), r.mustRender(c, "a__x")
		if !strings.Contains(all.Text, "a__y") || strings.Contains(x.Text, "a__y") || !strings.Contains(x.Text, "a__x") {
			t.Errorf("the filter selects wrongly: all tools are\n%s\nx alone is\n%s", all.Text, x.Text)
		}
		compact, err := r.render(c, "", codegen.Compact)
		if err != nil || compact.Text == all.Text || compact.ETag == all.ETag {
			t.Errorf("the compact form is the full one (%v)", err)
		}
		if all.ETag == "" || all.Generation != 1 {
			t.Errorf("module = ETag %q, generation %d", all.ETag, all.Generation)
		}
		made := r.made.Load()
		if both := r.mustRender(c, "a__y, a__x,a__y"); both.ETag != r.mustRender(c, "a__x,a__y").ETag {
			t.Error("the order of a filter matters")
		}
		if n := r.made.Load() - made; n != 1 {
			t.Errorf("two spellings of one filter made %d modules, want 1", n)
		}
	})
}

// TestAnswersUseTheNewestCatalog checks that the module has a tool that the
// caller has seen, even if the cache has not received the new generation.
func TestAnswersUseTheNewestCatalog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		old, changed := r.catalog(1, "x"), r.catalog(2, "x", "y")
		r.mustRender(old, "")
		if m := r.mustRender(changed, ""); !strings.Contains(m.Text, "a__y") || m.Generation != 2 {
			t.Errorf("generation %d without the new tool", m.Generation)
		}
		if m := r.mustRender(old, ""); m.Generation != 2 {
			t.Errorf("a late caller got generation %d, want the newer one", m.Generation)
		}
	})
}

// TestNewCatalogDropsOldModules: the memory of modules is free before the next module is requested.
func TestNewCatalogDropsOldModules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		r.mustRender(r.catalog(1, "x"), "")
		next := r.catalog(2, "y")
		r.view.Store(&next)
		r.at.Engine.Send(r.at.PID, catalog.Changed{Generation: 2})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		stats, err := mailbox.Ask(ctx, r.at, func(reply mailbox.Reply[toolscript.TypesStats]) any { return typecache.Describe{Reply: reply} })
		if err != nil || stats.Generation != 2 || stats.Modules != 0 || stats.Bytes != 0 {
			t.Errorf("%+v, %v, want no module of the old catalog", stats, err)
		}
	})
}

// TestTheCacheIsBounded uses many filters, because callers can send any text.
func TestTheCacheIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		c := r.catalog(1, "x")
		r.mustRender(c, "first")
		for i := range 300 {
			r.mustRender(c, strings.Repeat("n", i+1))
		}
		made := r.made.Load()
		r.mustRender(c, "first")
		if r.made.Load() == made {
			t.Error("the first of 301 modules is kept")
		}
	})
}

// TestTheCacheIsBoundedInBytes requests modules of a megabyte each.
func TestTheCacheIsBoundedInBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		var tools []toolscript.Tool
		for i := range 400 {
			tools = append(tools, toolscript.Tool{
				Server: "a", Name: fmt.Sprint("x", i), Description: strings.Repeat("long text ", 250), InputSchema: json.RawMessage(`{"type":"object"}`),
			})
		}
		c := toolscript.NewCatalog(1, []string{"a"}, tools)
		changed := catalog.View{Catalog: c, Names: func() *naming.Names {
			r.made.Add(1)
			return naming.New(c)
		}}
		filter := func(i int) string { return "a," + strings.Repeat("n", i+1) }
		const asked = 40
		for i := range asked {
			if m := r.mustRender(changed, filter(i)); len(m.Text) < 900_000 || len(m.Text) > 1_500_000 {
				t.Fatalf("the module has %d bytes, want a megabyte", len(m.Text))
			}
		}
		made := r.made.Load()
		for i := range 10 {
			r.mustRender(changed, filter(asked-1-i))
		}
		if n := r.made.Load() - made; n != 0 {
			t.Errorf("%d of the newest 10 modules were made again", n)
		}
		r.mustRender(changed, filter(0))
		r.mustRender(changed, filter(asked-20))
		if n := r.made.Load() - made; n != 2 {
			t.Errorf("%d of two old modules were made again, want both: 20 of them are 20 MB", n)
		}
	})
}

func TestAPanicWhileGeneratingIsTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		bad := r.catalog(1, "x")
		bad.Names = func() *naming.Names { panic("names") }
		for range 2 {
			if _, err := r.render(bad, "", codegen.Full); toolscript.KindOf(err) != toolscript.Internal {
				t.Errorf("error = %v, want internal", err)
			}
		}
		r.mustRender(r.catalog(2, "x"), "") // the panic left a working generator
	})
}
