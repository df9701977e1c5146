package reaper

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// inherited is the program as the second process executes it: by its descriptor, so
// that an update cannot replace it.
func inherited(string) string { return fmt.Sprintf("/proc/self/fd/%d", programFD) }

func unnamedFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("reaper", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "reaper"), nil
}

func renameProcess() {
	// Best effort; a thread may always write its own name.
	_ = os.WriteFile("/proc/self/comm", []byte(ProcessName), 0)
}

// signalMarked sends s to every process with the mark, and reports whether there was
// one.
func signalMarked(mark string, s syscall.Signal) bool {
	if mark == "" {
		return false
	}
	found := false
	entries, _ := os.ReadDir("/proc") // without /proc only the groups are known
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || !isMarked(pid, mark) {
			continue
		}
		// FindProcess holds the process by a descriptor, so that the number still
		// belongs to it when the mark is read again.
		process, err := os.FindProcess(pid)
		if err != nil || !isMarked(pid, mark) {
			continue
		}
		found = process.Signal(s) == nil || found
		_ = process.Release()
	}
	return found
}

// isMarked reports whether the environment in which a process was started has the
// mark. The environment of a process that has ended, zombies included, is empty.
func isMarked(pid int, mark string) bool {
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return false // it has ended, or belongs to another user
	}
	for entry := range bytes.SplitSeq(environment, []byte{0}) {
		if string(entry) == mark {
			return true
		}
	}
	return false
}
