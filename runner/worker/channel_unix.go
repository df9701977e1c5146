//go:build unix

package worker

import (
	"errors"
	"io"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/internal/rawio"
)

// A channel is the sandbox's end of its pipes. One goroutine uses it. It bypasses the network
// poller of Go, which would wake a second thread for every answer.
type channel struct {
	poller
	readable func() error // called while Write waits for room and bytes have arrived
}

// openChannel opens the sandbox's end of its pipes.
func openChannel() (*channel, error) {
	if err := errors.Join(unix.SetNonblock(inFD, true), unix.SetNonblock(outFD, true)); err != nil {
		return nil, err
	}
	p, err := newPoller()
	return &channel{poller: p}, err
}

// forever is longer than any wait.
const forever = 1000 * time.Hour

// Read implements io.Reader. It waits until bytes arrive.
func (c *channel) Read(p []byte) (int, error) {
	for {
		n, err := rawio.Read(inFD, p)
		switch {
		case errors.Is(err, unix.EAGAIN):
			if _, err := c.wait(forever, false); err != nil {
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

// Write implements io.Writer. While the gateway does not read, Write reads, because the
// gateway may itself be waiting until the worker reads.
func (c *channel) Write(p []byte) (written int, err error) {
	for written < len(p) {
		n, err := rawio.Write(outFD, p[written:])
		switch {
		case errors.Is(err, unix.EAGAIN):
			in, err := c.wait(forever, true)
			if err == nil && in {
				err = c.readable()
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
