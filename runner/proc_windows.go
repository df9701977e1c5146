package runner

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// cpuTimeKnown reports whether CPUTime is known.
const cpuTimeKnown = true

// memoryCounters is PROCESS_MEMORY_COUNTERS of the Windows API.
type memoryCounters struct {
	size                 uint32
	pageFaults           uint32
	peakWorkingSet       uintptr
	workingSet           uintptr
	_, _, _, _, pageFile uintptr // quotas, and the memory that is committed
	peakPageFile         uintptr
}

var processMemory = windows.NewLazySystemDLL("kernel32.dll").NewProc("K32GetProcessMemoryInfo")

// RSS returns the resident memory of a process in bytes, or 0 if the process has ended.
func RSS(pid int) int64 {
	var used int64
	query(pid, func(process windows.Handle) {
		counters := memoryCounters{size: uint32(unsafe.Sizeof(memoryCounters{}))}
		done, _, _ := processMemory.Call(uintptr(process), uintptr(unsafe.Pointer(&counters)), uintptr(counters.size))
		if done != 0 {
			used = int64(counters.workingSet)
		}
	})
	return used
}

// CPUTime returns the CPU time that all threads of a process have used, or 0 if it has ended.
func CPUTime(pid int) time.Duration {
	var used time.Duration
	query(pid, func(process windows.Handle) {
		var created, exited, kernel, user windows.Filetime
		if windows.GetProcessTimes(process, &created, &exited, &kernel, &user) == nil {
			used = time.Duration(ticks(kernel)+ticks(user)) * 100 // a tick is 100 ns
		}
	})
	return used
}

func ticks(t windows.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }

// query calls f with a handle of a process, if the process exists.
func query(pid int, f func(windows.Handle)) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return
	}
	defer func() { _ = windows.CloseHandle(process) }()
	f(process)
}
