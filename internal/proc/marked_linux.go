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

// inherited returns the path at which the second process executes the program. It is the path of
// an inherited descriptor, so that an update of the program cannot replace the file.
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
	entries, _ := os.ReadDir("/proc") // without /proc, only the groups are ended
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || !isMarked(pid, mark) {
			continue
		}
		if group, err := syscall.Getpgid(pid); err == nil && slices.Contains(spared, group) {
			continue
		}
		// FindProcess opens a descriptor of the process. So a process that reuses the
		// number after the mark was read does not get the signal.
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

// environment returns the environment of a process. While a process executes another program, Linux
// shows an empty environment for a moment, so environment reads it again.
func environment(pid int) []byte {
	const tries = 5
	for range tries {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil || len(text) > 0 {
			return text // after an error: the process has ended or belongs to another user
		}
		if _, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err != nil {
			return nil // the process has ended, or is a thread of the kernel
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

// takeOver starts a process that waits for the installation in the group of leader, if a package
// manager is still installing there. The program has ended, so nobody reads the pipes of the
// package manager, and its writes fail until the new process has opened the pipes.
func takeOver(leader int, install Installation) bool {
	output := make([]*os.File, 2)
	for i := range output {
		pipe, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/%d", leader, i+1), os.O_RDONLY|syscall.O_NONBLOCK, 0) //nolint:gosec // G304: a pipe
		if err != nil {
			return false // the process has ended
		}
		defer pipe.Close() //nolint:errcheck // only read, and by others
		output[i] = pipe
	}
	start := NewStart(install[1:])
	start.Process(leader, output[0])
	if !start.Look().Installing {
		return false
	}
	own := fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), programFD) // in QEMU, /proc/self/exe is not this file
	cmd := leave(own, leader, install, output[0], output[1])
	return cmd.Start() == nil // nobody waits for it: this process ends first
}

// leftRuns reports whether a process of this user has taken over the installation with a key and still runs.
func leftRuns(key string) bool {
	entries, _ := os.ReadDir("/proc") // without /proc, no process is found
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		args := CommandLine(pid)
		if at := slices.Index(args, Command); at > 0 && len(args) > at+3 && args[at+1] == leaveWord && args[at+3] == key && ownProcess(entry.Name()) {
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
