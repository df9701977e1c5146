// Package parentdeath starts confined child processes that end when this process ends, for
// any reason: hostile input may keep a child busy forever.
package parentdeath

// Confined says which restrictions of a process are active.
type Confined struct {
	Files bool // Landlock: files, ports and signals
	Calls bool // a filter of system calls
}
