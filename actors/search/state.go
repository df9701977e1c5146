package search

import (
	"fmt"

	"github.com/toolscript/toolscript/actors/search/index"
)

// state is the published state. It is immutable; publish replaces it.
type state struct {
	index   *index.Index // nil before the first index
	engine  *engine      // source of the vectors
	pending int          // documents whose vector is not computed yet
	read    bool         // all documents of the index were looked up in the cache
	failed  int          // documents that could not be embedded
	hits    int          // vectors from the cache
	made    int          // computed vectors
	spentMs int64
	err     error         // last error of the model or the cache
	changed chan struct{} // closed when the next state is published
}

// State describes the published index.
type State struct {
	Indexed    bool   // there is an index
	Generation uint64 // generation of the indexed catalog
	Tools      int
	Vectors    int  // tools with a vector
	Pending    int  // documents whose vector is not computed yet
	Read       bool // the cache was read
	Failed     int
	HitRate    float64
	SpentMs    int64
	Model      string // "" if no model is used
	Loaded     bool   // the model is in memory
	Opening    bool   // the first model is being opened
	Err        error
	Queries    int64
	hybrid     bool
}

// String returns the text for /health.
func (s State) String() string {
	switch {
	case s.Pending > 0:
		return fmt.Sprintf("indexing %d/%d", s.Vectors, s.Tools)
	case s.hybrid:
		return string(index.Hybrid)
	default:
		return string(index.Lexical)
	}
}

func (n *state) describe(s *Search) State {
	d := State{
		Pending: n.pending, Read: n.read, Failed: n.failed, SpentMs: n.spentMs, Err: n.err,
		Queries: s.queries.Load(),
	}
	if all := n.hits + n.made; all > 0 {
		d.HitRate = float64(n.hits) / float64(all)
	}
	if n.index != nil {
		d.Indexed, d.Generation = true, n.index.Generation()
		d.Tools, d.Vectors = n.index.Len(), n.index.Known()
		d.hybrid = n.index.Mode() == index.Hybrid && n.engine.works()
	}
	d.Opening = n.engine.opening
	if n.engine.works() {
		d.Model, d.Loaded = n.engine.model.ID(), n.engine.model.Loaded()
	} else {
		d.Pending = 0
	}
	return d
}
