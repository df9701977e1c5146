// Package typecache is the actor that owns the generated TypeScript modules of the
// current catalog. It generates a module on first request, in a goroutine, once for
// all concurrent callers.
package typecache

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/codegen"
)

// key names a module.
type key struct {
	generation  uint64
	filter      string
	options     codegen.Options
	observed    uint64 // version of the observed shapes
	unavailable string // servers and reasons
}

// Options configure a Cache. All fields are required.
type Options struct {
	Current func() catalog.View // the View that was published last
	Logger  *slog.Logger
	Work    *mailbox.Group // counts the goroutines
}

// Cache is the state of the actor; only Receive touches it.
type Cache struct {
	Options
	post func(message any)

	// generator holds the only generator, or nothing while it is in use. It caches the text
	// of every tool, so one generator is faster than several without the cache, and leaves
	// the other processors to calls.
	generator chan *codegen.Generator

	current catalog.View // its generation is that of the modules
	modules *moduleCache
	hits    uint64 // requests answered from the cache
	misses  uint64 // other requests
	waiting map[key][]mailbox.Reply[Rendered]
}

// New creates the actor.
func New(o Options) *Cache {
	t := &Cache{
		Options:   o,
		generator: make(chan *codegen.Generator, 1),
		modules:   newModuleCache(),
		waiting:   map[key][]mailbox.Reply[Rendered]{},
	}
	t.generator <- new(codegen.Generator)
	return t
}

// Receive handles one message.
func (t *Cache) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		engine, self := c.Engine(), c.PID()
		t.post = func(message any) { mailbox.Send(engine, self, message) }
	case catalog.Changed:
		t.renew()
	case Describe:
		m.Reply.Send(toolscript.TypesStats{
			Generation: t.current.Catalog.Generation(), Modules: t.modules.Len(), Bytes: t.modules.Bytes(), Hits: t.hits, Misses: t.misses,
		}, nil)
	case Render:
		t.render(m)
	case generated:
		t.generated(m)
	case actor.Stopped:
		t.stop()
	}
}

// renew drops the modules if there is a new generation of the catalog.
func (t *Cache) renew() {
	view := t.Current()
	if view.Catalog.Generation() != t.current.Catalog.Generation() || t.current.Names == nil {
		t.current, t.modules = view, newModuleCache()
	}
}

// render uses the newest catalog, so that a caller that has seen a tool gets its types.
func (t *Cache) render(m Render) {
	t.renew()
	filter := canonical(m.Filter)
	k := key{t.current.Catalog.Generation(), filter.Key(), m.Options, m.Observed.Version(), unavailableKey(m.Away)}
	if r, ok := t.modules.Get(k); ok {
		t.hits++
		m.Reply.Send(r, nil)
		return
	}
	t.misses++
	under := t.waiting[k]
	t.waiting[k] = append(under, m.Reply)
	if len(under) == 0 {
		t.generate(k, filter, m)
	}
}

func (t *Cache) generate(k key, filter toolscript.Filter, m Render) {
	view, post, generator := t.current, t.post, t.generator
	t.Work.Go(func() {
		g := <-generator
		next := new(codegen.Generator) // a new generator, in case this one panics
		defer func() { generator <- next }()
		g.Observed, g.Away = m.Observed, m.Away
		rendered := module(g, view, filter, k.options)
		next = g
		post(generated{key: k, rendered: rendered})
	}, func(err error) { post(generated{key: k, err: err}) })
}

func (t *Cache) generated(m generated) {
	if m.err != nil {
		mailbox.LogFailure(t.Logger, slog.LevelError, "types not generated", m.err, slog.String("filter", m.key.filter))
	}
	for _, reply := range t.waiting[m.key] {
		reply.Send(m.rendered, m.err)
	}
	delete(t.waiting, m.key)
	if m.err != nil || m.key.generation != t.current.Catalog.Generation() {
		return
	}
	t.modules.Put(m.key, m.rendered, size(m.key, m.rendered))
}

func (t *Cache) stop() {
	for _, replies := range t.waiting {
		for _, reply := range replies {
			reply.Send(Rendered{}, mailbox.ErrEnded)
		}
	}
}

// module generates the text for the tools that a filter selects.
func module(g *codegen.Generator, v catalog.View, filter toolscript.Filter, o codegen.Options) Rendered {
	result := g.Module(v.Catalog.Filter(filter).OneAccount(), v.Names(), o)
	sum := sha256.Sum256([]byte(result.Text))
	return Rendered{
		Module: toolscript.Module{
			Text:       result.Text,
			ETag:       hex.EncodeToString(sum[:16]),
			Generation: v.Catalog.Generation(),
		},
		Warnings: texts(result.Warnings),
	}
}

// unavailableKey returns equal texts for equal servers and reasons.
func unavailableKey(unavailable map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(unavailable)) {
		fmt.Fprintf(&b, "%q %q ", name, unavailable[name])
	}
	return b.String()
}

// canonical sorts a filter, so that equal filters have equal texts.
func canonical(f toolscript.Filter) toolscript.Filter {
	f = slices.Clone(f)
	slices.Sort(f)
	return slices.Compact(f)
}

func texts(warnings []codegen.Warning) []string {
	all := make([]string, 0, len(warnings))
	for _, w := range warnings {
		all = append(all, w.String())
	}
	return all
}
