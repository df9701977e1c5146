//go:build !linux

package mcpclient

// awaitExit does nothing: golang.org/x/sys cannot wait without reaping on this
// system. The group is killed right after the child is reaped.
func awaitExit(int) bool { return false }
