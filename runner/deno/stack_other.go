//go:build !unix

package deno

// stackLimit returns 0: it is unknown on this system.
func stackLimit() uint64 { return 0 }
