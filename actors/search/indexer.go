package search

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/event"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/search/index"
)

// Wake makes a lazy search index the current catalog from now on.
type Wake struct{}

// indexer is the actor. It knows what there is to do, and has one step at a time
// done on a goroutine: see next. Only Receive touches it.
type indexer struct {
	*Search
	post   func(message any)
	ctx    context.Context
	cancel context.CancelFunc

	asleep  bool
	working bool // a step is under way
	catalog toolscript.Catalog
	engine  *engine      // whose vectors there are
	index   *index.Index // nil before the first
	skip    uint64       // a generation that could not be indexed; 0: none

	vectors index.Vectors      // of all documents seen
	asked   map[index.Key]bool // those the cache was asked for
	failed  map[index.Key]bool // those that could not be embedded
	single  int                // documents to embed one by one, after a batch has failed
	row     int                // failures without a success between them
	unsaved index.Vectors
	touch   bool // the cache wants to know what is used
	tally   state
}

// Produce makes the actor.
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
	case event.CatalogChanged:
		x.adopt(m.Catalog)
	case Wake:
		x.asleep = false
		x.adopt(x.options.Catalog())
	case ModelChanged:
		x.modelChanged()
	case built:
		x.built(m)
	case looked:
		x.looked(m)
	case embeddedSome:
		x.embedded(m)
	case saved:
		x.saved(m)
	case actor.Stopped:
		x.stop()
	}
}

// start begins with the catalog there is: an indexer that is restarted has
// missed the news of it.
func (x *indexer) start(c *actor.Context) {
	engine, self := c.Engine(), c.PID()
	x.post = func(message any) { engine.Send(self, message) }
	x.ctx, x.cancel = context.WithCancel(context.Background())
	x.adopt(x.options.Catalog())
}

func (x *indexer) adopt(c toolscript.Catalog) {
	if c.Generation() >= x.catalog.Generation() {
		x.catalog = c
	}
	x.next()
}

// next has the next step done, if there is one: an index of the newest catalog
// first, then the vectors that the cache has, then those to be computed.
func (x *indexer) next() {
	if x.working || x.asleep || x.ctx.Err() != nil {
		return
	}
	todo := x.todo()
	switch {
	case x.outdated():
		x.build()
	case len(todo.unasked) > 0:
		x.look(todo.unasked)
	case len(x.unsaved) >= saveEvery, x.touch, len(todo.documents) == 0 && len(x.unsaved) > 0:
		x.save()
	case len(todo.documents) > 0:
		x.embed(todo.documents)
	}
}

func (x *indexer) outdated() bool {
	return x.index == nil || x.index.Generation() < x.catalog.Generation() && x.catalog.Generation() != x.skip
}

// todo is what the index lacks.
type todo struct {
	unasked   []index.Key      // of documents that the cache may have
	documents []index.Document // to be embedded
}

func (x *indexer) todo() todo {
	var t todo
	if !x.engine.works() || x.index == nil {
		return t
	}
	for _, d := range x.index.Missing() {
		switch {
		case x.engine.cache != nil && !x.asked[d.Key]:
			t.unasked = append(t.unasked, d.Key)
			t.documents = append(t.documents, d)
		case !x.failed[d.Key]:
			t.documents = append(t.documents, d)
		}
	}
	return t
}

// publish puts in force what is known, and begins the next step.
func (x *indexer) publish() {
	x.working = false
	if x.engine != x.using.Load() {
		x.saveLast()
		x.adoptEngine()
	}
	todo := x.todo()
	now := x.tally
	now.index, now.engine, now.pending, now.failed = x.index, x.engine, len(todo.documents), len(x.failed)
	now.read = x.index != nil && len(todo.unasked) == 0
	now.changed = make(chan struct{})
	close(x.now.Swap(&now).changed)
	x.next()
}

// modelChanged waits for the step under way, which may be of the old model.
func (x *indexer) modelChanged() {
	if !x.working {
		x.publish()
	}
}

// adoptEngine begins with the model in use, and without the vectors of another.
func (x *indexer) adoptEngine() {
	x.engine = x.using.Load()
	x.vectors, x.unsaved = index.Vectors{}, index.Vectors{}
	x.asked, x.failed = map[index.Key]bool{}, map[index.Key]bool{}
	x.single, x.row, x.touch = 0, 0, false
	if x.index != nil {
		x.index = x.index.With(nil)
	}
}

// keep adds vectors to those known and to the index.
func (x *indexer) keep(found index.Vectors) {
	if len(found) == 0 {
		return
	}
	maps.Copy(x.vectors, found)
	x.index = x.index.With(x.vectors)
}

// forget drops vectors of tools that are gone when they become many. A server
// that is away for a moment needs its own again.
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

// used are the keys of all tools in the index.
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

// stop ends the step under way, and saves what was computed meanwhile.
func (x *indexer) stop() {
	x.cancel()
	x.saveLast()
}

// saveLast saves what a model that is given up has computed.
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

// first is the beginning of a list.
func first[T any](all []T, n int) []T { return slices.Clone(all[:min(n, len(all))]) }
