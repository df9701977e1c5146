package deno

// Confined says which restrictions of a process are active.
type Confined struct {
	Files bool // Landlock: files, ports and signals
	Calls bool // a filter of system calls
}
