//go:build !linux

package mcpclient

// awaitExit would tell of a child's end before it is reaped. golang.org/x/sys
// has no such call here, so the group is killed right after.
func awaitExit(int) bool { return false }
