package search

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/search/index"
)

// Wake makes a lazy search index the current catalog and all later ones.
type Wake struct{}

// indexer is the actor. It builds an index on one goroutine, and looks up, computes or
// saves vectors on another; see next. Only Receive accesses its fields.
type indexer struct {
	*Search
	post   func(message any)
	ctx    context.Context
	cancel context.CancelFunc

	asleep   bool
	building bool // an index is being built
	working  bool // another step is in progress
	catalog  toolscript.Catalog
	engine   *engine      // the source of the vectors
	index    *index.Index // nil before the first index
	skip     uint64       // generation that could not be indexed; 0 if there is none

	vectors index.Vectors      // vectors of all documents seen
	asked   map[index.Key]bool // keys that were looked up in the cache
	failed  map[index.Key]bool // keys that could not be embedded
	single  int                // number of documents to embed one by one, after a failed batch
	row     int                // failures in a row
	unsaved index.Vectors
	touch   bool // the cache needs an Add, to mark keys as used
	claim   claim
	tally   state
}

// Produce returns the actor.
func (s *Search) Produce() actor.Receiver {
	x := &indexer{Search: s, asleep: s.options.Lazy}
	x.adoptEngine()
	return x
}

// Receive handles one message.
func (x *indexer) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		x.start(c)
	case catalog.Changed:
		x.renew()
	case Wake:
		x.asleep = false
		x.renew()
	case ModelChanged:
		x.publish()
	case built:
		x.built(m)
	case looked:
		x.looked(m)
	case claimed:
		x.claimed(m)
	case embeddedSome:
		x.embedded(m)
	case saved:
		x.saved(m)
	case actor.Stopped:
		x.stop()
	}
}

// start reads the current catalog, because a restarted indexer has missed the event.
func (x *indexer) start(c *actor.Context) {
	engine, self := c.Engine(), c.PID()
	x.post = func(message any) { mailbox.Send(engine, self, message) }
	x.ctx, x.cancel = context.WithCancel(context.Background())
	x.renew()
}

// renew takes over the newest catalog.
func (x *indexer) renew() {
	x.catalog = x.options.Catalog()
	x.next()
}

// next starts the next step, if there is one, in this order: index the newest
// catalog, look up vectors in the cache, compute vectors. An index is built while a
// step for vectors is in progress, because that step may wait for a pause in the traffic.
func (x *indexer) next() {
	if x.building || x.asleep || x.ctx.Err() != nil {
		return
	}
	if x.outdated() {
		x.build()
		return
	}
	if x.working {
		return
	}
	todo := x.todo()
	switch {
	case len(todo.notLookedUp) > 0:
		x.look(todo.notLookedUp)
	case len(x.unsaved) >= saveEvery, x.touch, len(todo.documents) == 0 && len(x.unsaved) > 0:
		x.save()
	case len(todo.documents) == 0:
		x.claim.end()
	case x.mustClaim():
		x.waitForClaim(todo.documents)
	default:
		x.embed(todo.documents)
	}
}

func (x *indexer) outdated() bool {
	return x.index == nil || x.index.Generation() < x.catalog.Generation() && x.catalog.Generation() != x.skip
}

// todo lists the missing vectors of the index.
type todo struct {
	notLookedUp []index.Key      // keys to look up in the cache
	documents   []index.Document // documents to embed
}

func (x *indexer) todo() todo {
	var t todo
	if !x.engine.works() || x.index == nil {
		return t
	}
	for _, d := range x.index.Missing() {
		switch {
		case x.engine.cache != nil && !x.asked[d.Key]:
			t.notLookedUp = append(t.notLookedUp, d.Key)
			t.documents = append(t.documents, d)
		case !x.failed[d.Key]:
			t.documents = append(t.documents, d)
		}
	}
	return t
}

// publish makes the current results visible to queries and starts the next step. A
// step for vectors may use the old model, so another model is adopted after it.
func (x *indexer) publish() {
	if !x.working && x.engine != x.using.Load() {
		x.saveLast()
		x.adoptEngine()
	}
	todo := x.todo()
	now := x.tally
	now.index, now.engine, now.pending, now.failed = x.index, x.engine, len(todo.documents), len(x.failed)
	now.read = x.index != nil && len(todo.notLookedUp) == 0
	now.changed = make(chan struct{})
	close(x.now.Swap(&now).changed)
	if changed := x.options.Changed; changed != nil {
		changed()
	}
	x.next()
}

// adoptEngine switches to the model in use and drops the vectors of the old one.
func (x *indexer) adoptEngine() {
	x.engine = x.using.Load()
	x.vectors, x.unsaved = index.Vectors{}, index.Vectors{}
	x.asked, x.failed = map[index.Key]bool{}, map[index.Key]bool{}
	x.single, x.row, x.touch = 0, 0, false
	x.claim.end()
	if x.index != nil {
		x.index = x.index.With(nil)
	}
}

func (x *indexer) keep(found index.Vectors) {
	if len(found) == 0 {
		return
	}
	maps.Copy(x.vectors, found)
	x.index = x.index.With(x.vectors)
}

// forget drops vectors of removed tools when there are many. A few are kept for
// servers that are away for a short time.
func (x *indexer) forget() {
	if max(len(x.vectors), len(x.asked), len(x.failed)) <= x.index.Len()+maxSpare {
		return
	}
	used := x.used()
	unused := func(k index.Key, _ bool) bool { return !used[k] }
	maps.DeleteFunc(x.asked, unused)
	maps.DeleteFunc(x.failed, unused)
	maps.DeleteFunc(x.vectors, func(k index.Key, _ []float32) bool { return !used[k] })
}

func (x *indexer) used() map[index.Key]bool {
	used := map[index.Key]bool{}
	for _, k := range x.index.Keys() {
		used[k] = true
	}
	return used
}

func (x *indexer) warn(message string, err error, attrs ...slog.Attr) {
	mailbox.LogFailure(x.options.Logger, slog.LevelWarn, message, err, attrs...)
	x.tally.err = err
}

// stop cancels the running step and saves the vectors computed so far.
func (x *indexer) stop() {
	x.cancel()
	x.saveLast()
}

// saveLast saves the vectors of a model that is replaced.
func (x *indexer) saveLast() {
	if x.engine.cache == nil || len(x.unsaved) == 0 {
		return
	}
	fresh, cache, logger := x.unsaved, x.engine.cache, x.options.Logger
	x.options.Work.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), saveTime)
		defer cancel()
		if err := cache.Add(ctx, fresh, nil); err != nil {
			logger.Warn("vectors not saved", slog.String("error", err.Error()))
		}
	}, func(err error) { mailbox.LogFailure(logger, slog.LevelWarn, "vectors not saved", err) })
}

// first returns a copy of at most n elements from the start of all.
func first[T any](all []T, n int) []T { return slices.Clone(all[:min(n, len(all))]) }
