//go:build unix

package deno

import "golang.org/x/sys/unix"

// stackLimit returns the limit of the main thread's stack in bytes, or 0 if it is unknown.
func stackLimit() uint64 {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_STACK, &limit) != nil {
		return 0
	}
	return limit.Cur
}
