//go:build !unix

package tool

// openFlags is empty, because opening a pipe does not block on this system.
const openFlags = 0
