package runner

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// clockTick is the unit of times in /proc: 100 Hz on every architecture of Linux,
// whatever the kernel's own tick.
const clockTick = 10 * time.Millisecond

// cpuTimeKnown reports whether CPUTime is known.
const cpuTimeKnown = true

// RSS returns the resident memory of a process in bytes, or 0 if the process has ended.
func RSS(pid int) int64 {
	return number(procFields(pid, "statm"), 1) * int64(os.Getpagesize())
}

// CPUTime returns the CPU time that all threads of a process have used, or 0 if it has ended.
func CPUTime(pid int) time.Duration {
	const scheduled = 2 // the kind of the kernel's clock of a process; its other bits are the complement of the process id
	var used unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &used); err == nil {
		return time.Duration(used.Nano())
	}
	fields := procFields(pid, "stat")
	return time.Duration(number(fields, 11)+number(fields, 12)) * clockTick // utime, stime
}

// procFields returns the fields of a file of a process in /proc. It skips the name of the
// command in stat and what precedes it: the name may contain spaces.
func procFields(pid int, name string) [][]byte {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
	if err != nil {
		return nil
	}
	if end := bytes.LastIndexByte(text, ')'); end >= 0 {
		text = text[end+1:]
	}
	return bytes.Fields(text)
}

func number(fields [][]byte, i int) int64 {
	if i >= len(fields) {
		return 0
	}
	n, _ := strconv.ParseInt(string(fields[i]), 10, 64) // 0 if it is not a number
	return n
}
