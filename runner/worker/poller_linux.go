package worker

import (
	"errors"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// brief is how long a wait blocks without telling Go's scheduler. Most answers arrive within
// this time, and no other thread wakes.
const brief = 5 * time.Millisecond

// A poller waits for the pipes of a sandbox. It uses epoll, the only waiting call that
// seccomp allows to a worker.
type poller struct{ epoll int }

func newPoller() (poller, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return poller{}, err
	}
	p := poller{fd}
	return p, p.control(unix.EPOLL_CTL_ADD, inFD, unix.EPOLLIN)
}

func (p poller) control(op, fd int, events uint32) error {
	return unix.EpollCtl(p.epoll, op, fd, &unix.EpollEvent{Events: events, Fd: int32(fd)})
}

// wait waits until there is something to read or, if room is true, until something can be
// written. It reports whether there is something to read.
func (p poller) wait(within time.Duration, room bool) (in bool, err error) {
	if room {
		if err := p.control(unix.EPOLL_CTL_ADD, outFD, unix.EPOLLOUT); err != nil {
			return false, err
		}
		defer func() { err = errors.Join(err, p.control(unix.EPOLL_CTL_DEL, outFD, 0)) }()
	}
	end := time.Now().Add(min(within, forever))
	in, out, err := p.poll(min(within, brief), true)
	for left := time.Until(end); !in && !out && err == nil && left > 0; left = time.Until(end) {
		in, out, err = p.poll(left, false)
	}
	return in, err
}

// poll waits once. A signal may end it early. keep says not to tell Go's scheduler.
func (p poller) poll(within time.Duration, keep bool) (in, out bool, err error) {
	var events [2]unix.EpollEvent
	ms := uintptr((min(within, time.Hour) + time.Millisecond - 1) / time.Millisecond) // an early end would need a second wait
	var n uintptr
	var errno unix.Errno
	if keep {
		n, _, errno = unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(p.epoll), uintptr(unsafe.Pointer(&events)), uintptr(len(events)), ms, 0, 0) //nolint:gosec // the kernel writes events
	} else {
		n, _, errno = unix.Syscall6(unix.SYS_EPOLL_PWAIT, uintptr(p.epoll), uintptr(unsafe.Pointer(&events)), uintptr(len(events)), ms, 0, 0) //nolint:gosec // the kernel writes events
	}
	switch {
	case errors.Is(errno, unix.EINTR):
		return false, false, nil
	case errno != 0:
		return false, false, errno
	}
	for _, event := range events[:n] {
		in, out = in || event.Fd == inFD, out || event.Fd == outFD
	}
	return in, out, nil
}
