//go:build !unix

package tether

import "os"

// Kill ends a process that Start has started. What it has started goes on.
func Kill(p *os.Process) { _ = p.Kill() }
