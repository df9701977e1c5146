package search

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"

	"github.com/toolscript/toolscript/actors/search/index"
)

// engine is a model and where its vectors are kept. An index has vectors of one.
type engine struct {
	model   Model // nil: by words only
	cache   Cache // nil: vectors end with the process
	watched bool  // somebody else sees to it that it works, and replaces it
	opening bool  // it stands in for one that is being opened
	broken  atomic.Bool
}

// ModelChanged tells the actor of a Use.
type ModelChanged struct{}

// Use replaces the model by one that somebody else watches, with where its
// vectors are kept; nil is the one of the Options. The actor, which must be told
// by ModelChanged, makes an index anew. Until then queries are answered as before.
func (s *Search) Use(m index.Embedder, c Cache) {
	if m == nil {
		own := s.own.Load()
		s.using.Store(&engine{model: own.model, cache: own.cache})
		return
	}
	s.using.Store(&engine{model: outside{m}, cache: c, watched: true})
}

// Hold has no model used until the next Use.
func (s *Search) Hold() { s.using.Store(&engine{opening: true}) }

// Own replaces the Model and the Cache of the Options, for the next Use of nil. The
// one before is closed, unless it is the same.
func (s *Search) Own(m Model, c Cache) {
	before := s.own.Swap(&engine{model: m, cache: c})
	if before.model != nil && before.model != m {
		before.model.Close()
	}
}

// outside is a model that is not part of this program. It does as it likes with
// priorities and memory, and belongs to who watches it.
type outside struct{ index.Embedder }

func (o outside) Background() index.Embedder { return o.Embedder }
func (outside) Loaded() bool                 { return true }
func (outside) Close()                       {}

// EmbedQuery keeps the form that the model wants queries in.
func (o outside) EmbedQuery(ctx context.Context, query string) ([]float32, error) {
	return index.EmbedQuery(ctx, o.Embedder, query)
}

// works reports whether there is a model to be used.
func (e *engine) works() bool { return e.model != nil && !e.broken.Load() }

// embed is the vector of a query, nil when there is none. The one thing that can
// go wrong with the embedded model, but for the end of ctx, is that it cannot be
// had; one that is watched may work the next time.
func (e *engine) embed(ctx context.Context, query string, logger *slog.Logger) []float32 {
	vector, err := index.EmbedQuery(ctx, e.model, query)
	switch {
	case err == nil:
		return vector
	case ctx.Err() != nil, errors.Is(err, context.Canceled): // the second of a model that was closed meanwhile
	case e.watched:
		logger.Debug("query answered by words only", slog.String("error", err.Error()))
	case !e.broken.Swap(true):
		logger.Warn("search is by words only", slog.String("error", err.Error()))
	}
	return nil
}
