package quickjs

import (
	"time"

	"golang.org/x/sys/windows"
)

// cpuTime returns the CPU time that this process has used. A worker runs one script at a
// time, so the CPU time during a run belongs to its script.
func cpuTime() time.Duration {
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user) != nil {
		return 0
	}
	ticks := func(t windows.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }
	return time.Duration(ticks(kernel)+ticks(user)) * 100 // a tick is 100 ns
}
