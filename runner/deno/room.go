package deno

import "sync"

// room is what one process may reach.
type room struct {
	mu  sync.Mutex
	run *run // nil until its run has begun
}

// under is the run under way, if one is.
func (r *room) under() *run {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.run
}

// enter makes a run the one that is under way.
func (r *room) enter(run *run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run = run
}
