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
)

const (
	// batch is the number of documents in one step, about 0.3 s of work. Between
	// steps the indexer handles newer work and waits for a pause in the traffic.
	batch = 4
	// saveEvery is the largest number of vectors that a killed gateway loses.
	saveEvery = 128
	// saveTime bounds the wait for the file lock of another gateway.
	saveTime = 2 * time.Second
	// maxSpare is the number of vectors of removed tools that are kept, 1.5 KB each.
	maxSpare = 1000
	// failureLimit is the number of failures in a row that disables the model.
	failureLimit = 3
)

// The results of the steps.
type (
	// built is the index of a catalog, or the error.
	built struct {
		generation uint64
		index      *index.Index
		err        error
	}
	// looked is the result of a cache lookup.
	looked struct {
		keys []index.Key
		FoundVectors
		err error
	}
	// embeddedSome has the vectors of documents, or the error.
	embeddedSome struct {
		documents []index.Document
		vectors   index.Vectors
		spent     time.Duration
		err       error
	}
	// saved reports a write to the cache.
	saved struct {
		fresh index.Vectors
		err   error
	}
)

// step runs work for vectors on a goroutine.
func (x *indexer) step(work func() any, failed func(error) any) {
	x.working = true
	x.run(work, failed)
}

// run runs work on a goroutine and posts its result to the actor. A panic of work
// becomes the message that failed returns.
func (x *indexer) run(work func() any, failed func(error) any) {
	post := x.post
	x.options.Work.Go(func() { post(work()) }, func(err error) { post(failed(err)) })
}

// build indexes the newest catalog.
func (x *indexer) build() {
	c := x.catalog
	x.building = true
	x.run(func() any { return built{generation: c.Generation(), index: index.New(c, nil)} },
		func(err error) any { return built{generation: c.Generation(), err: err} })
}

// built adopts an index, with the vectors known so far.
func (x *indexer) built(m built) {
	x.building = false
	if m.err != nil {
		x.skip = m.generation
		x.warn("tools not indexed", m.err)
		if x.index == nil {
			x.index = index.New(toolscript.Catalog{}, nil)
		}
	} else {
		x.index = m.index.With(x.vectors)
		x.forget()
	}
	x.publish()
}

func (x *indexer) look(keys []index.Key) {
	cache := x.engine.cache
	x.step(func() any {
		found, err := cache.Read(keys)
		return looked{keys, found, err}
	}, func(err error) any { return looked{keys: keys, err: err} })
}

func (x *indexer) looked(m looked) {
	x.working = false
	if m.err != nil {
		x.warn("some vectors in the cache are damaged and are computed again", m.err)
		x.touch = true // the next write repairs the cache
	}
	for _, k := range m.keys {
		x.asked[k] = true
	}
	x.touch = x.touch || m.Stale
	x.tally.hits += len(m.Vectors)
	x.keep(m.Vectors)
	x.publish()
}

// embed computes the vectors of the next batch.
func (x *indexer) embed(all []index.Document) {
	n := batch
	if x.single > 0 {
		n = 1
	}
	documents, ctx, traffic := first(all, n), x.ctx, &x.traffic
	model := x.engine.model.Background(traffic.pauses(ctx))
	if x.options.Lazy {
		model = x.engine.model // a query waits for the first vectors of a lazy search
	}
	x.step(func() any {
		traffic.quiet(ctx)
		begin := time.Now()
		vectors, err := index.Embed(ctx, model, documents)
		return embeddedSome{documents, vectors, time.Since(begin), err}
	}, func(err error) any { return embeddedSome{documents: documents, err: err} })
}

func (x *indexer) embedded(m embeddedSome) {
	x.working = false
	x.tally.spentMs += m.spent.Milliseconds()
	x.single = max(0, x.single-len(m.documents))
	switch {
	case errors.Is(m.err, context.Canceled): // the search is stopping
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

// notEmbedded has the documents of a failed batch embedded one by one, so that one bad document does not cost the
// others their vectors. It disables a model after failureLimit failures in a row.
func (x *indexer) notEmbedded(m embeddedSome) {
	if len(m.documents) > 1 {
		x.single = len(m.documents)
		return
	}
	x.failed[m.documents[0].Key] = true
	if x.row++; x.row == failureLimit {
		x.engine.broken.Store(true)
		x.warn("search is by words only", fmt.Errorf("the model %s does not work: %w", x.engine.model.ID(), m.err))
		return
	}
	x.warn("tool not embedded; it is found by its words", m.err, slog.Int("failures", len(x.failed)))
}

// save writes the computed vectors and the keys in use.
func (x *indexer) save() {
	fresh, cache := x.unsaved, x.engine.cache
	x.unsaved, x.touch = index.Vectors{}, false
	if cache == nil {
		x.next()
		return
	}
	used := slices.Collect(maps.Keys(x.used()))
	x.step(func() any {
		ctx, cancel := context.WithTimeout(context.Background(), saveTime) // stop waits for this write
		defer cancel()
		return saved{fresh, cache.Add(ctx, fresh, used)}
	}, func(err error) any { return saved{fresh, err} })
}

// saved handles the result of a write. If the cache cannot be written, indexing
// continues without it.
func (x *indexer) saved(m saved) {
	x.working = false
	x.claim.end()
	if m.err != nil {
		x.warn("vectors not saved", m.err, slog.Int("vectors", len(m.fresh)))
	}
	x.publish()
}
