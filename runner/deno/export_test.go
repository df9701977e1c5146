package deno

// Capability is the secret of a process.
func Capability(p *Process) string { return p.capability }
