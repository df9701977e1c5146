//go:build unix

package deno

import "golang.org/x/sys/unix"

// stackLimit is how many bytes the stack of a program's main thread may have.
func stackLimit() uint64 {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_STACK, &limit) != nil {
		return 0
	}
	return limit.Cur
}
