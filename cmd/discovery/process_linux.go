package discovery

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// startTime returns the start of a process in clock ticks since boot. Process ids are reused, so the start time is
// part of the identity. It is read from the stat file of the first thread, which has the same time. In the user mode
// emulation of QEMU, only that file is the same for the process itself and for others.
func startTime(pid int) (uint64, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/stat", pid, pid))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return 0, errGone
	}
	if err != nil {
		return 0, err
	}
	return parseStat(stat)
}

// parseStat returns field 22 of /proc/PID/stat. Fields are counted after the name of the
// command, which may contain spaces and brackets. A process in state Z or X has ended.
func parseStat(stat []byte) (uint64, error) {
	const state, start = 3, 22 // as proc(5) counts, from 1
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= start-state {
		return 0, errors.New("/proc/PID/stat has too few fields")
	}
	if s := string(fields[0]); s == "Z" || s == "X" {
		return 0, errGone
	}
	return strconv.ParseUint(string(fields[start-state]), 10, 64)
}

func pidNamespace() string {
	name, _ := os.Readlink("/proc/self/ns/pid") // "" if the kernel has no namespaces
	return name
}
