package search

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"

	"github.com/toolscript/toolscript/actors/search/embedding"
	"github.com/toolscript/toolscript/actors/search/index"
)

// engine is a model with the cache of its vectors. All vectors of an index are from
// one engine.
type engine struct {
	model   Model // nil: search by words only
	cache   Cache // nil: vectors are lost when the process ends
	watched bool  // another actor restarts and replaces the model
	opening bool  // the first model is being opened; there is no model yet
	broken  atomic.Bool
}

// ModelChanged notifies the actor of a Use.
type ModelChanged struct{}

// Use replaces the model and its cache. The caller manages the embedder; nil selects
// the model of Own. The actor builds a new index when it receives ModelChanged. Until
// then queries are answered from the old index.
func (s *Search) Use(m embedding.Embedder, c Cache) {
	if m == nil {
		own := s.own.Load()
		s.using.Store(&engine{model: own.model, cache: own.cache})
		return
	}
	s.using.Store(&engine{model: outside{m}, cache: c, watched: true})
}

// Hold disables models until the next Use.
func (s *Search) Hold() { s.using.Store(&engine{opening: true}) }

// Own replaces the Model and the Cache of the Options. They apply with the next Use
// of nil. The previous model is closed, unless it is the same.
func (s *Search) Own(m Model, c Cache) {
	before := s.own.Swap(&engine{model: m, cache: c})
	if before.model != nil && before.model != m {
		before.model.Close()
	}
}

// outside is a model that is not part of this program. The actor that manages it
// closes it.
type outside struct{ embedding.Embedder }

func (o outside) Background(func()) embedding.Embedder { return o.Embedder }
func (outside) Loaded() bool                           { return true }
func (outside) Close()                                 {}

func (e *engine) works() bool { return e.model != nil && !e.broken.Load() }

// embed returns the vector of a query, or nil. After an error the embedded model is
// not used again; a watched model is tried with every query.
func (e *engine) embed(ctx context.Context, query string, logger *slog.Logger) []float32 {
	vector, err := index.EmbedQuery(ctx, e.model, query)
	switch {
	case err == nil:
		return vector
	case ctx.Err() != nil, errors.Is(err, context.Canceled): // Canceled: the model was closed by another goroutine
	case e.watched:
		logger.Debug("query answered by words only", slog.String("error", err.Error()))
	case !e.broken.Swap(true):
		logger.Warn("search is by words only", slog.String("error", err.Error()))
	}
	return nil
}
