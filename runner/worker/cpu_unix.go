//go:build unix

package worker

import (
	"syscall"
	"time"
)

// usedCPU returns the processor time that this process has used.
func usedCPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
