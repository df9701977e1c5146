package notify

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// SocketKind returns the type of a socket of the caller, such as SOCK_STREAM.
func (c *Call) SocketKind(fd int) (int, error) {
	pid, err := c.process()
	if err != nil {
		return 0, err
	}
	handle, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return 0, os.NewSyscallError("pidfd_open", err)
	}
	defer func() { _ = unix.Close(handle) }()
	socket, err := unix.PidfdGetfd(handle, fd, 0)
	if err != nil {
		return 0, os.NewSyscallError("pidfd_getfd", err)
	}
	defer func() { _ = unix.Close(socket) }() // the caller has its own
	kind, err := unix.GetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_TYPE)
	if !c.Valid() {
		return 0, ErrGone
	}
	return kind, err
}

// process returns the id of the process of the calling thread.
func (c *Call) process() (int, error) {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(c.PID) + "/status")
	if err != nil {
		return 0, ErrGone
	}
	for lines := bufio.NewScanner(bytes.NewReader(status)); lines.Scan(); {
		if id, ok := strings.CutPrefix(lines.Text(), "Tgid:"); ok {
			return strconv.Atoi(strings.TrimSpace(id))
		}
	}
	return 0, fmt.Errorf("the process of thread %d is unknown", c.PID)
}
