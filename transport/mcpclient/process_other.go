//go:build !linux

package mcpclient

import "syscall"

// awaitExit does nothing: golang.org/x/sys cannot wait without reaping on this
// system. The group is killed right after the child is reaped.
func awaitExit(int) bool { return false }

// unread returns false: this system does not say whether a process has read its input.
func unread(syscall.Conn) bool { return false }
