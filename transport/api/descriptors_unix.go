//go:build unix

package api

import (
	"math"
	"syscall"
)

// descriptors returns the limit of open descriptors of this process.
func descriptors() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return math.MaxInt
	}
	return int(min(uint64(limit.Cur), math.MaxInt32)) //nolint:unconvert // Cur is signed on FreeBSD
}
