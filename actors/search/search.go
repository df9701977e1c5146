// Package search is the actor that owns the index of the current catalog. It
// alone makes one, on a goroutine, a step at a time, and puts it in force whole:
// queries read the one in force and wait neither for the actor nor for a step.
package search

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/search/index"
	"github.com/toolscript/toolscript/actors/search/minilm"
	"github.com/toolscript/toolscript/actors/search/vectors"
	"github.com/toolscript/toolscript/runner/footprint"
)

// Model computes the meaning of texts.
type Model interface {
	// Embedder is for who waits.
	index.Embedder
	// Background is the same for work that nobody waits for.
	Background() index.Embedder
	// Loaded reports whether it is in memory.
	Loaded() bool
	// Close gives everything back; who still uses the Model gets an error.
	Close()
}

// MiniLM is the model that is part of this program. It is in memory when it is
// needed and for idle afterwards; 0 means minilm.MaxIdle. With it goes what else
// of the program's file the process does not need now.
func MiniLM(idle time.Duration) Model { return embedded{minilm.NewEngine(idle, footprint.Release)} }

type embedded struct{ *minilm.Engine }

func (e embedded) Background() index.Embedder { return e.Engine.Background() }

// Cache keeps vectors beyond the end of the process; vectors.File is one.
type Cache interface {
	// Read finds the vectors of keys. What it found is good even when it fails.
	Read(keys []index.Key) (vectors.Found, error)
	// Add keeps vectors, and marks those of used as used.
	Add(ctx context.Context, fresh index.Vectors, used []index.Key) error
}

// Options are what a Search is made from.
type Options struct {
	Model   Model                     // nil: by words only; see Own
	Cache   Cache                     // nil: vectors end with the process
	Catalog func() toolscript.Catalog // the current one
	Lazy    bool                      // index nothing before the first Wake
	Later   bool                      // by words only until the first Use
	Logger  *slog.Logger
	Work    *mailbox.Group // counts the goroutines
}

// Search is the search of one gateway, over all lives of its actor. It is safe
// for concurrent use.
type Search struct {
	options Options
	now     atomic.Pointer[state]
	traffic traffic
	using   atomic.Pointer[engine] // what the next index has vectors of
	own     atomic.Pointer[engine] // what is used while nobody else's is
	queries atomic.Int64
}

// New makes a search that has indexed nothing.
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

// Close gives the model back.
func (s *Search) Close() {
	if m := s.own.Load().model; m != nil {
		m.Close()
	}
}

// Busy tells the search that somebody's call is at work, until done is called:
// indexing waits for a pause in such work.
func (s *Search) Busy() (done func()) { return s.traffic.begin() }

// Find ranks the tools of the index in force. Before the first there is nothing
// to be found.
func (s *Search) Find(ctx context.Context, q index.Query) (index.Result, State) {
	defer s.traffic.begin()()
	s.queries.Add(1)
	now := s.now.Load()
	if now.index == nil {
		return index.Result{Mode: index.Lexical}, now.describe(s)
	}
	if q.Alpha > 0 && now.engine.works() && now.index.Mode() == index.Hybrid {
		q.Vector = now.engine.embed(ctx, q.Text, s.options.Logger)
	}
	return now.index.Search(q), now.describe(s)
}

// Nearest are tools whose names resemble a query that found nothing.
func (s *Search) Nearest(query string, n int) []string {
	if now := s.now.Load(); now.index != nil {
		return now.index.Nearest(query, n)
	}
	return nil
}

// State is where the indexing stands.
func (s *Search) State() State { return s.now.Load().describe(s) }

// Await waits until enough says so of the state, or until ctx ends.
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
