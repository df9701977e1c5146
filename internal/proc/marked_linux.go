package proc

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// inherited returns the path at which the second process executes the program: that of
// its descriptor, so that an update cannot replace it.
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

// signalMarked sends s to every process with the mark outside of the spared groups, and
// reports whether there was one.
func signalMarked(mark string, s syscall.Signal, spared []int) bool {
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
		if group, err := syscall.Getpgid(pid); err == nil && slices.Contains(spared, group) {
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
	for entry := range bytes.SplitSeq(environment(pid), []byte{0}) {
		if string(entry) == mark {
			return true
		}
	}
	return false
}

// environment returns the environment of a process. While a process executes another program,
// the system shows an empty one for a moment.
func environment(pid int) []byte {
	const tries = 5
	for range tries {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil || len(text) > 0 {
			return text // with an error it has ended, or belongs to another user
		}
		if _, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err != nil {
			return nil // it has ended, or is a thread of the kernel
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

// takeOver leaves an installation in the group of leader to another process, if a package
// manager is still installing there. The program's ends of the pipes are closed. Writes of
// the package manager fail until they are open again.
func takeOver(leader int, install Installation) bool {
	output := make([]*os.File, 2)
	for i := range output {
		pipe, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/%d", leader, i+1), os.O_RDONLY|syscall.O_NONBLOCK, 0) //nolint:gosec // G304: a pipe
		if err != nil {
			return false // it has ended
		}
		defer pipe.Close() //nolint:errcheck // only read, and by others
		output[i] = pipe
	}
	start := NewStart(install[1:])
	start.Process(leader, output[0])
	if !start.Look().Installing {
		return false
	}
	cmd := leave("/proc/self/exe", leader, install, output[0], output[1])
	return cmd.Start() == nil // it ends after this process
}

// leftRuns reports whether a process of this user runs that has taken over the installation with a key.
func leftRuns(key string) bool {
	entries, _ := os.ReadDir("/proc") // without /proc none is known
	for _, entry := range entries {
		if _, err := strconv.Atoi(entry.Name()); err != nil {
			continue
		}
		text, _ := os.ReadFile("/proc/" + entry.Name() + "/cmdline") // empty for a process that has ended
		args := bytes.Split(text, []byte{0})
		if len(args) > 4 && string(args[1]) == Command && string(args[2]) == leaveWord && string(args[4]) == key && ownProcess(entry.Name()) {
			return true
		}
	}
	return false
}

// ownProcess reports whether a process belongs to this user.
func ownProcess(pid string) bool {
	info, err := os.Stat("/proc/" + pid)
	if err != nil {
		return false
	}
	about, known := info.Sys().(*syscall.Stat_t)
	return known && int(about.Uid) == os.Getuid()
}
