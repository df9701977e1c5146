package codegen

import (
	"encoding/json"
	"sync"
)

// Limits of an Observer.
const (
	maxTools  = 4096
	maxResult = 256 << 10 // bytes; larger results are ignored
	settled   = 20        // number of consecutive results without new information, after which further results of a tool are ignored
)

// Observer collects the shapes of results of tools without an output schema. The zero value is
// ready to use; it is safe for concurrent use.
type Observer struct {
	mu       sync.Mutex
	seen     map[string]*toolShape
	snapshot *Shapes // current shapes; nil after a change
	version  uint64
}

// toolShape is what is known about the results of one tool.
type toolShape struct {
	shape *shape
	quiet int // results since the last one with new information
}

// See adds a result of the tool with the given id. result is the JSON value that the
// script receives.
func (o *Observer) See(id string, result json.RawMessage) {
	if len(result) > maxResult || !o.NeedsMore(id) {
		return
	}
	var v any
	if json.Unmarshal(result, &v) != nil {
		return
	}
	o.add(id, shapeOf(v, 0))
}

// NeedsMore reports whether another result of the tool may add information.
func (o *Observer) NeedsMore(id string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	known := o.seen[id]
	if known == nil {
		return len(o.seen) < maxTools
	}
	return known.quiet < settled
}

func (o *Observer) add(id string, s *shape) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seen == nil {
		o.seen = map[string]*toolShape{}
	}
	known := o.seen[id]
	if known == nil {
		known = &toolShape{}
		o.seen[id] = known
	}
	merged := merge(known.shape, s)
	if merged == known.shape {
		known.quiet++
		return
	}
	known.shape, known.quiet = merged, 0
	o.snapshot = nil
}

// Shapes returns the current shapes.
func (o *Observer) Shapes() *Shapes {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.snapshot == nil {
		o.version++
		o.snapshot = &Shapes{version: o.version, shapes: make(map[string]*shape, len(o.seen))}
		for id, known := range o.seen {
			o.snapshot.shapes[id] = known.shape
		}
	}
	return o.snapshot
}

// Shapes holds the shapes at one moment. It is immutable. A nil *Shapes is empty.
type Shapes struct {
	version uint64
	shapes  map[string]*shape
}

// Version returns a number that changes whenever the shapes of an Observer change; 0 for nil.
func (s *Shapes) Version() uint64 {
	if s == nil {
		return 0
	}
	return s.version
}

// Type returns the observed type of a tool's results as TypeScript on one line; "" if no
// result has been observed.
func (s *Shapes) Type(id string) string {
	if s == nil || s.shapes[id] == nil {
		return ""
	}
	return s.shapes[id].String()
}
