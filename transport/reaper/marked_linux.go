package reaper

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

func renameProcess() {
	// A nicety, and no reason to fail; a thread may always write its own name.
	_ = os.WriteFile("/proc/self/comm", []byte(ProcessName), 0)
}

// signalMarked sends s to every process that carries the mark, and reports
// whether there was one.
func signalMarked(mark string, s syscall.Signal) bool {
	if mark == "" {
		return false
	}
	found := false
	entries, _ := os.ReadDir("/proc") // without /proc the groups are all that is known
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || !isMarked(pid, mark) {
			continue
		}
		// FindProcess holds the process by a descriptor, so that the number is
		// still its own when the mark is looked at again.
		process, err := os.FindProcess(pid)
		if err != nil || !isMarked(pid, mark) {
			continue
		}
		found = process.Signal(s) == nil || found
		_ = process.Release()
	}
	return found
}

// isMarked reports whether the environment that a process was started with has
// the mark. That of a process which has ended, zombies included, is empty.
func isMarked(pid int, mark string) bool {
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return false // gone, or another user's
	}
	for entry := range bytes.SplitSeq(environment, []byte{0}) {
		if string(entry) == mark {
			return true
		}
	}
	return false
}
