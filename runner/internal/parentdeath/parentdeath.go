// Package parentdeath starts confined child processes that end when this process
// ends, however it ends. Hostile input may keep such a process busy for ever.
package parentdeath

// Confined says which restrictions a process has.
type Confined struct {
	Files bool // Landlock: files, ports and signals
	Calls bool // a filter of system calls
}
