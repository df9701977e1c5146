//go:build !unix

package deno

// stackLimit is not known here.
func stackLimit() uint64 { return 0 }
