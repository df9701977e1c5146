package confirm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// person returns a function that writes to the controlling terminal of a process of this user. It
// refuses a process that an agent has started, because the agent may have opened the terminal.
func person(pid int) (func(show func(io.Writer)), error) {
	folder := fmt.Sprintf("/proc/%d", pid)
	info, err := os.Stat(folder)
	if err != nil {
		return nil, refused("process %d does not run", pid)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Getuid() {
		return nil, refused("process %d belongs to another user", pid)
	}
	if agent := AgentAbove(pid); agent != "" {
		return nil, refused("an agent (%s) has started process %d, so its terminal is not that of a person", agent, pid)
	}
	path, err := terminalOf(folder + "/stat")
	if err != nil {
		return nil, refused("process %d has no terminal", pid)
	}
	return func(show func(io.Writer)) {
		f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NOCTTY|unix.O_NONBLOCK, 0) //nolint:gosec // terminalOf has checked it
		if err != nil {
			return // the person sees nothing and does not answer
		}
		show(f)
		_ = f.Close() // as above
	}, nil
}

// terminalOf returns the path of a process's pseudo terminal from its /proc/PID/stat. Field 7 has the device.
func terminalOf(stat string) (string, error) {
	text, err := os.ReadFile(stat) //nolint:gosec // the path has a number only
	if err != nil {
		return "", err
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const state, tty = 3, 7 // as proc(5) counts, from 1
	if len(fields) <= tty-state {
		return "", errors.New("too few fields")
	}
	device, err := strconv.ParseUint(string(fields[tty-state]), 10, 32)
	if err != nil {
		return "", err
	}
	const first, last = 136, 143 // major numbers of pseudo terminals
	major := unix.Major(device)
	if major < first || major > last {
		return "", errors.New("no pseudo terminal")
	}
	path := fmt.Sprintf("/dev/pts/%d", unix.Minor(device)+(major-first)<<8)
	var info unix.Stat_t
	if err := unix.Stat(path, &info); err != nil {
		return "", err
	}
	if info.Rdev != unix.Mkdev(major, unix.Minor(device)) || int(info.Uid) != os.Getuid() {
		return "", errors.New("not the terminal of the user")
	}
	return path, nil
}
