//go:build unix

package worker

import (
	"errors"
	"io"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A socket is the end of a sandbox. One goroutine uses it, without the poller of Go:
// that would wake a second thread for every answer.
type socket struct {
	poller
	readable func() error // reads what has arrived, while Write waits for room
}

// openSocket opens the end of a sandbox.
func openSocket() (*socket, error) {
	if err := unix.SetNonblock(socketFD, true); err != nil {
		return nil, err
	}
	p, err := newPoller()
	return &socket{poller: p}, err
}

// forever is longer than any wait.
const forever = 1000 * time.Hour

// Read implements io.Reader. It waits for bytes.
func (s *socket) Read(p []byte) (int, error) {
	for {
		n, err := readNow(p)
		switch {
		case errors.Is(err, unix.EAGAIN):
			if _, err := s.wait(forever, false); err != nil {
				return 0, err
			}
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// Write implements io.Writer. While the gateway takes nothing, Write reads: the gateway
// may wait for that.
func (s *socket) Write(p []byte) (written int, err error) {
	for written < len(p) {
		n, err := writeNow(p[written:])
		switch {
		case errors.Is(err, unix.EAGAIN):
			in, err := s.wait(forever, true)
			if err == nil && in {
				err = s.readable()
			}
			if err != nil {
				return written, err
			}
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return written, err
		default:
			written += n
		}
	}
	return written, nil
}

// writeNow returns a function that writes the bytes that the socket accepts without
// blocking. It does not report errors: the next blocking write returns them. One
// goroutine at a time may call it.
func (p *pair) writeNow() func([]byte) int {
	raw, err := p.conn.SyscallConn()
	if err != nil {
		return nil
	}
	var bytes []byte
	var n int
	once := func(fd uintptr) bool {
		n, _ = syscall.Write(int(fd), bytes) // n is -1 after an error
		return true
	}
	return func(message []byte) int {
		bytes, n = message, 0
		_ = raw.Write(once)
		bytes = nil
		return max(n, 0)
	}
}
