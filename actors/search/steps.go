package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/search/index"
	"github.com/toolscript/toolscript/actors/search/vectors"
)

const (
	// batch is how many documents are embedded at a time: some 0.3 s of work, after
	// which newer work and a pause in the traffic are looked for.
	batch = 4
	// saveEvery is how many vectors a gateway that is killed loses at most.
	saveEvery = 128
	// saveTime bounds the wait for another gateway that writes.
	saveTime = 2 * time.Second
	// maxSpare is how many vectors are kept of tools that are gone, 1.5 KB each.
	maxSpare = 1000
	// giveUp is how many failures in a row mean that the model does not work.
	giveUp = 3
)

// How the steps come back.
type (
	// built: there is an index of a catalog, or it could not be made.
	built struct {
		generation uint64
		index      *index.Index
		err        error
	}
	// looked: the cache was asked for keys.
	looked struct {
		keys []index.Key
		vectors.Found
		err error
	}
	// embeddedSome: documents have their vectors, or the error is why not.
	embeddedSome struct {
		documents []index.Document
		vectors   index.Vectors
		spent     time.Duration
		err       error
	}
	// saved: vectors were written to the cache, or not.
	saved struct {
		fresh index.Vectors
		err   error
	}
)

// step does work on a goroutine, whose failure is a message too.
func (x *indexer) step(work func() any, failed func(error) any) {
	post := x.post
	x.working = true
	x.options.Work.Go(func() { post(work()) }, func(err error) { post(failed(err)) })
}

// build indexes the words of the newest catalog.
func (x *indexer) build() {
	c, known := x.catalog, maps.Clone(x.vectors)
	x.step(func() any { return built{generation: c.Generation(), index: index.New(c, known)} },
		func(err error) any { return built{generation: c.Generation(), err: err} })
}

func (x *indexer) built(m built) {
	if m.err != nil {
		x.skip = m.generation
		x.warn("tools not indexed", m.err)
		if x.index == nil {
			x.index = index.New(toolscript.Catalog{}, nil)
		}
	} else {
		x.index = m.index
		x.forget()
	}
	x.publish()
}

// look asks the cache for vectors.
func (x *indexer) look(keys []index.Key) {
	cache := x.engine.cache
	x.step(func() any {
		found, err := cache.Read(keys)
		return looked{keys, found, err}
	}, func(err error) any { return looked{keys: keys, err: err} })
}

func (x *indexer) looked(m looked) {
	if m.err != nil {
		x.warn("vectors in the cache are damaged; what is missing is computed again", m.err)
		x.touch = true // writing repairs it
	}
	for _, k := range m.keys {
		x.asked[k] = true
	}
	x.touch = x.touch || m.Stale
	x.tally.hits += len(m.Vectors)
	x.keep(m.Vectors)
	x.publish()
}

// embed computes the vectors of some documents.
func (x *indexer) embed(all []index.Document) {
	n := batch
	if x.single > 0 {
		n = 1
	}
	documents, ctx, traffic, model := first(all, n), x.ctx, &x.traffic, x.engine.model.Background()
	if x.options.Lazy {
		model = x.engine.model // who wakes a lazy search waits for it
	}
	x.step(func() any {
		traffic.quiet(ctx)
		begin := time.Now()
		vectors, err := index.Embed(ctx, model, documents)
		return embeddedSome{documents, vectors, time.Since(begin), err}
	}, func(err error) any { return embeddedSome{documents: documents, err: err} })
}

func (x *indexer) embedded(m embeddedSome) {
	x.tally.spentMs += m.spent.Milliseconds()
	x.single = max(0, x.single-len(m.documents))
	switch {
	case errors.Is(m.err, context.Canceled): // the end
	case m.err != nil:
		x.notEmbedded(m)
	default:
		x.row = 0
		x.tally.made += len(m.vectors)
		maps.Copy(x.unsaved, m.vectors)
		x.keep(m.vectors)
	}
	x.publish()
}

// notEmbedded has the documents of a batch tried one by one, so that one of them
// does not cost the others their vectors. It gives up a model that never works.
func (x *indexer) notEmbedded(m embeddedSome) {
	if len(m.documents) > 1 {
		x.single = len(m.documents)
		return
	}
	x.failed[m.documents[0].Key] = true
	if x.row++; x.row == giveUp {
		x.engine.broken.Store(true)
		x.warn("search is by words only", fmt.Errorf("the model %s does not work: %w", x.engine.model.ID(), m.err))
		return
	}
	x.warn("tool not embedded; it is found by its words", m.err, slog.Int("failures", len(x.failed)))
}

// save writes what was computed, and what is used.
func (x *indexer) save() {
	fresh, cache := x.unsaved, x.engine.cache
	x.unsaved, x.touch = index.Vectors{}, false
	if cache == nil {
		x.next()
		return
	}
	used := slices.Collect(maps.Keys(x.used()))
	x.step(func() any {
		ctx, cancel := context.WithTimeout(context.Background(), saveTime) // the end waits for it
		defer cancel()
		return saved{fresh, cache.Add(ctx, fresh, used)}
	}, func(err error) any { return saved{fresh, err} })
}

// saved goes on without a cache that cannot be written.
func (x *indexer) saved(m saved) {
	if m.err != nil {
		x.warn("vectors not saved", m.err, slog.Int("vectors", len(m.fresh)))
	}
	x.publish()
}
