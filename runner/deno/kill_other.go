//go:build !unix

package deno

import "os"

// Kill kills a process that Start started. Its children continue.
func Kill(p *os.Process) { _ = p.Kill() }
