package search

import (
	"fmt"

	"github.com/toolscript/toolscript/actors/search/index"
)

// state is what is in force. It is immutable; publish replaces it.
type state struct {
	index   *index.Index // nil before the first
	engine  *engine      // that its vectors are of
	pending int          // documents that will have a vector and have none yet
	read    bool         // the cache has been asked for all documents of the index
	failed  int          // documents that could not be embedded
	hits    int          // vectors that came from the cache
	made    int          // vectors that were computed
	spentMs int64
	err     error         // the last of the model or of the cache
	changed chan struct{} // closed when another state is in force
}

// State describes what can be searched now.
type State struct {
	Indexed    bool   // there is an index
	Generation uint64 // of its catalog
	Tools      int
	Vectors    int  // tools that have one
	Pending    int  // documents that wait for theirs
	Read       bool // what the cache has is there
	Failed     int
	HitRate    float64
	SpentMs    int64
	Model      string // "" when there is none, or none that works
	Loaded     bool   // the model is in memory
	Opening    bool   // the first model is being opened
	Err        error
	Queries    int64
	hybrid     bool
}

// String is the state in the words of /health.
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
