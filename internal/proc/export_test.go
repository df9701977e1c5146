//go:build unix

package proc

import "time"

// WithoutShell makes this process behave as on a system without a shell.
func WithoutShell() { shell = "/none" }

// SetUnusedTime sets the time after which the unused second process ends.
func (r *Reaper) SetUnusedTime(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unused = d
}

// Running reports whether the second process runs.
func (r *Reaper) Running() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.child != nil && r.child.running()
}

// EndUnused does what the Reaper does when that time has passed.
func (r *Reaper) EndUnused() { r.endUnused() }
