//go:build !linux

package cli

// first does nothing: containers have Linux.
func first() (code int, is bool) { return 0, false }
