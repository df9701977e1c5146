// Package proc reports the memory and the CPU time of processes.
package proc

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// clockTick is the unit of times in /proc: 100 Hz on every architecture of Linux,
// whatever the kernel's own tick.
const clockTick = 10 * time.Millisecond

// cpuTimeKnown reports whether CPUTime is known.
const cpuTimeKnown = true

// RSS is the memory that a process holds, in bytes; 0 when it is gone.
func RSS(pid int) int64 {
	return number(procFields(pid, "statm"), 1) * int64(os.Getpagesize())
}

// CPUTime is the CPU time that all threads of a process have used; 0 when it is gone.
func CPUTime(pid int) time.Duration {
	fields := procFields(pid, "stat")
	return time.Duration(number(fields, 11)+number(fields, 12)) * clockTick // utime, stime
}

// procFields returns the fields of a file in /proc. Those of stat are counted from the
// end of the command's name, which may contain spaces.
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
	n, _ := strconv.ParseInt(string(fields[i]), 10, 64) // 0 if nothing is known
	return n
}
