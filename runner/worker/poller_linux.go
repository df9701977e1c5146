package worker

import (
	"errors"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// brief is how long a wait keeps its processor. Most answers arrive within it. The
// scheduler of Go then has nothing to do, and no other thread wakes.
const brief = 5 * time.Millisecond

// A poller waits for the socket of a sandbox. It uses epoll, because seccomp allows a
// worker no other call that waits.
type poller struct{ epoll int }

func newPoller() (poller, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return poller{}, err
	}
	p := poller{fd}
	return p, p.control(unix.EPOLL_CTL_ADD, unix.EPOLLIN)
}

func (p poller) control(op int, events uint32) error {
	return unix.EpollCtl(p.epoll, op, socketFD, &unix.EpollEvent{Events: events, Fd: socketFD})
}

// wait waits until there is something to read or, with room, until something can be
// written. It reports whether there is something to read.
func (p poller) wait(within time.Duration, room bool) (in bool, err error) {
	if room {
		if err := p.control(unix.EPOLL_CTL_MOD, unix.EPOLLIN|unix.EPOLLOUT); err != nil {
			return false, err
		}
		defer func() { err = errors.Join(err, p.control(unix.EPOLL_CTL_MOD, unix.EPOLLIN)) }()
	}
	end := time.Now().Add(min(within, forever))
	events, err := p.poll(min(within, brief), true)
	for left := time.Until(end); events == 0 && err == nil && left > 0; left = time.Until(end) {
		events, err = p.poll(left, false)
	}
	return events&^unix.EPOLLOUT != 0, err
}

// poll waits once. A signal may end it early.
func (p poller) poll(within time.Duration, keep bool) (events uint32, err error) {
	var event unix.EpollEvent
	ms := uintptr((min(within, time.Hour) + time.Millisecond - 1) / time.Millisecond) // an early end would be a second wait
	var errno unix.Errno
	if keep {
		_, _, errno = unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(p.epoll), uintptr(unsafe.Pointer(&event)), 1, ms, 0, 0) //nolint:gosec // the kernel writes event
	} else {
		_, _, errno = unix.Syscall6(unix.SYS_EPOLL_PWAIT, uintptr(p.epoll), uintptr(unsafe.Pointer(&event)), 1, ms, 0, 0) //nolint:gosec // the kernel writes event
	}
	if errno != 0 && !errors.Is(errno, unix.EINTR) {
		return 0, errno
	}
	return event.Events, nil
}
