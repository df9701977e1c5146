// Package proc tells what a process uses.
package proc

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// clockTick is the unit of times in /proc. It is 100 Hz on every architecture
// Linux has, whatever the kernel's own tick.
const clockTick = 10 * time.Millisecond

// tellsCPU says whether CPUTime knows.
const tellsCPU = true

// RSS is the memory that a process holds, in bytes; 0 when it is gone.
func RSS(pid int) int64 {
	return number(procFields(pid, "statm"), 1) * int64(os.Getpagesize())
}

// CPUTime is the processor time that a process has used, in all its threads; 0
// when it is gone.
func CPUTime(pid int) time.Duration {
	fields := procFields(pid, "stat")
	return time.Duration(number(fields, 11)+number(fields, 12)) * clockTick // utime, stime
}

// procFields are the fields of a file in /proc, those of stat counted from
// behind the name of the command, which may hold spaces.
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
	n, _ := strconv.ParseInt(string(fields[i]), 10, 64) // 0 says nothing is known
	return n
}
