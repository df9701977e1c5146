//go:build unix

package worker

import (
	"errors"
	"io"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/rawio"
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
		n, err := rawio.Read(socketFD, p)
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
		n, err := rawio.Write(socketFD, p[written:])
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
