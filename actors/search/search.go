// Package search has two actors. The actor search owns the search index of the current catalog. It
// builds the index in steps on a goroutine and publishes complete states. Queries read the published
// state and wait neither for the actor nor for a step. The actor embedder manages an external
// embedding model. The vectors of tools are kept in a VectorFile.
package search

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/search/embedding"
	"github.com/toolscript/toolscript/actors/search/embedding/minilm"
	"github.com/toolscript/toolscript/actors/search/index"
	"github.com/toolscript/toolscript/internal/proc"
)

// Model computes embeddings.
type Model interface {
	// Embedder answers requests with normal priority.
	embedding.Embedder
	// Background returns an embedder with low priority, which calls pause at short
	// intervals if it works in this process.
	Background(pause func()) embedding.Embedder
	// Loaded reports whether the model is in memory.
	Loaded() bool
	// Close releases the model. Later calls return an error.
	Close()
}

// MiniLM returns the model that is part of this program. The model is loaded when
// needed and released after idle without use; 0 means minilm.MaxIdle. A release also
// returns other unused pages of the program's file to the system.
func MiniLM(idle time.Duration) Model { return embedded{minilm.NewEngine(idle, proc.ReleasePages)} }

type embedded struct{ *minilm.Engine }

func (e embedded) Background(pause func()) embedding.Embedder { return e.Engine.Background(pause) }

// Cache stores vectors across restarts, as VectorFile does.
type Cache interface {
	// Read looks up keys. The vectors found are valid even if there is an error.
	Read(keys []index.Key) (FoundVectors, error)
	// Add stores vectors and marks the keys in used as used.
	Add(ctx context.Context, fresh index.Vectors, used []index.Key) error
	// Claim reserves the computation of vectors for this process. release is nil while
	// another process computes.
	Claim() (release func(), err error)
}

// Options configure a Search.
type Options struct {
	Model   Model                     // nil: search by words only; see Own
	Cache   Cache                     // nil: vectors are lost when the process ends
	Catalog func() toolscript.Catalog // returns the current catalog
	Lazy    bool                      // build no index before the first Wake
	Later   bool                      // search by words only until the first Use
	Changed func()                    // called when the State has changed, except for its number of queries; does not block. Nil: nothing is called
	Logger  *slog.Logger
	Work    *mailbox.Group // counts the goroutines
}

// Search is the search of one gateway. It outlives restarts of its actor. It is safe
// for concurrent use.
type Search struct {
	options Options
	now     atomic.Pointer[state]
	traffic traffic
	using   atomic.Pointer[engine] // engine of the next index
	own     atomic.Pointer[engine] // engine of Own, used when Use has set no other
	queries atomic.Int64
}

// New returns a search with an empty index.
func New(o Options) *Search {
	s := &Search{options: o}
	s.own.Store(&engine{model: o.Model, cache: o.Cache})
	if o.Later {
		s.Hold()
	} else {
		s.Use(nil, nil)
	}
	s.now.Store(&state{engine: s.using.Load(), changed: make(chan struct{})})
	return s
}

// Close releases the model.
func (s *Search) Close() {
	if m := s.own.Load().model; m != nil {
		m.Close()
	}
}

// Busy notes the start or the end of a call. Indexing waits for a pause between them.
func (s *Search) Busy() { s.traffic.mark() }

// Find ranks the tools of the published index. Before the first index is published,
// there are no hits.
func (s *Search) Find(ctx context.Context, q index.Query) (index.Result, State) {
	s.traffic.mark()
	defer s.traffic.mark()
	if !q.Skills { // a search for skills is a part of one for tools
		s.queries.Add(1)
	}
	now := s.now.Load()
	if now.index == nil {
		return index.Result{Mode: index.Lexical}, now.describe(s)
	}
	if q.Alpha > 0 && now.engine.works() && now.index.Mode() == index.Hybrid {
		q.Vector = now.engine.embed(ctx, q.Text, s.options.Logger)
	}
	return now.index.Search(q), now.describe(s)
}

// State returns the state of indexing.
func (s *Search) State() State { return s.now.Load().describe(s) }

// Await waits until enough returns true for the state, or until ctx ends.
func (s *Search) Await(ctx context.Context, enough func(State) bool) State {
	for {
		now := s.now.Load()
		if described := now.describe(s); enough(described) || ctx.Err() != nil {
			return described
		}
		select {
		case <-now.changed:
		case <-ctx.Done():
		}
	}
}
