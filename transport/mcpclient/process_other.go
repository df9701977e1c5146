//go:build !linux

package mcpclient

import "syscall"

// awaitExit returns false: golang.org/x/sys cannot wait without reaping on this system. So wait kills
// the group right after it has reaped the child.
func awaitExit(int) bool { return false }

// unread returns false: this system does not report whether a process has read its input.
func unread(syscall.Conn) bool { return false }
