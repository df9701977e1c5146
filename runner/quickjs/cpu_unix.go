//go:build unix

package quickjs

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time that this process has used. A worker runs one script at a
// time, so the CPU time during a run belongs to its script.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
