//go:build unix

package reaper

// WithoutShell has this process work as on a system without a shell.
func WithoutShell() { shell = "/none" }
