package deno

import "sync"

// endpoint is the state of one process in the loopback server.
type endpoint struct {
	mu  sync.Mutex
	run *denoRun // nil until the run has begun
}

// current returns the run in progress, or nil.
func (e *endpoint) current() *denoRun {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.run
}

// enter sets the run in progress.
func (e *endpoint) enter(run *denoRun) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.run = run
}
