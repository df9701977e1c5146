package execution

import (
	"sync"

	"github.com/toolscript/toolscript"
)

// emitter passes the events of one run on: in order, one at a time, Start first
// and End last and both exactly once, whoever emits.
type emitter struct {
	mu    sync.Mutex
	id    string
	to    Emit
	lost  func(error) // called once, when nobody listens any more
	ended bool
}

func (e *emitter) emit(event toolscript.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		return
	}
	if err := e.to(event); err != nil {
		e.ended = true
		e.lost(err)
	}
}

// end emits the last event, unless it has been emitted.
func (e *emitter) end(end toolscript.End) {
	e.emit(toolscript.EndEvent(e.id, end))
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = true
}
