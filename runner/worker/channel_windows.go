package worker

import (
	"os"
	"runtime"
	"time"

	"github.com/toolscript/toolscript/internal/rescue"
)

// A channel is the sandbox's end of its pipes. One goroutine uses it. Windows cannot wait for several
// pipes in one call, so a second goroutine reads ahead.
type channel struct {
	out      *os.File
	readable func() error // called while Write waits for room and bytes have arrived; nil before the first job

	arrived chan []byte // what was read ahead; closed at the end
	failed  error       // why reading ended; valid after arrived is closed
	left    []byte      // the rest of the last piece
}

// openChannel opens the sandbox's end of its pipes.
func openChannel() (*channel, error) {
	in, out, err := openPipes()
	if err != nil {
		return nil, err
	}
	c := &channel{out: out, arrived: make(chan []byte)}
	go c.readAhead(in)
	return c, nil
}

// readAhead reads until the end. It reads into one buffer while the other is in use.
func (c *channel) readAhead(in *os.File) {
	defer close(c.arrived)
	defer rescue.Catch(func(p *rescue.Error) { c.failed = p })
	var buffers [2][64 << 10]byte
	for i := 0; ; i = 1 - i {
		n, err := in.Read(buffers[i][:])
		if n > 0 {
			c.arrived <- buffers[i][:n]
		}
		if err != nil {
			c.failed = err
			return
		}
	}
}

// wait waits until there is something to read. It reports whether there is.
func (c *channel) wait(within time.Duration, _ bool) (in bool, err error) {
	if len(c.left) > 0 {
		return true, nil
	}
	if within <= 0 {
		runtime.Gosched() // readAhead may not have had a processor
		select {
		case piece, ok := <-c.arrived:
			return c.take(piece, ok)
		default:
			return false, nil
		}
	}
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case piece, ok := <-c.arrived:
		return c.take(piece, ok)
	case <-timer.C:
		return false, nil
	}
}

// take keeps what was received from arrived.
func (c *channel) take(piece []byte, ok bool) (in bool, err error) {
	if !ok {
		return false, c.failed
	}
	c.left = piece
	return true, nil
}

// Read implements io.Reader. It waits until bytes arrive.
func (c *channel) Read(p []byte) (int, error) {
	if len(c.left) == 0 {
		piece, ok := <-c.arrived
		if _, err := c.take(piece, ok); err != nil {
			return 0, err
		}
	}
	n := copy(p, c.left)
	c.left = c.left[n:]
	return n, nil
}

// Write implements io.Writer. While the gateway does not read, Write reads, because the gateway may
// itself be waiting until the worker reads.
func (c *channel) Write(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	wrote := make(chan result, 1)
	go func() {
		defer rescue.Catch(func(p *rescue.Error) { wrote <- result{0, p} })
		n, err := c.out.Write(p)
		wrote <- result{n, err}
	}()
	for {
		for len(c.left) > 0 && c.readable != nil {
			if err := c.readable(); err != nil {
				return 0, err
			}
		}
		arrived := c.arrived
		if len(c.left) > 0 {
			arrived = nil // it has no room for a second piece
		}
		select {
		case r := <-wrote:
			return r.n, r.err
		case piece, ok := <-arrived:
			if _, err := c.take(piece, ok); err != nil {
				return 0, err
			}
		}
	}
}
