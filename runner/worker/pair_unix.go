//go:build unix

package worker

import (
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/rawio"
)

// The descriptors at which the worker finds its ends of a pair.
const (
	inFD       = 3
	outFD      = 4
	lifelineFD = 5
)

// A pair connects gateway and worker: two pipes for frames, and one without data. The
// write end of the last one closes when the gateway ends, for whatever cause, and the worker
// must end then.
//
// A socket would take the place of the first two, but a read of a socket also wakes the
// poller of the side that writes.
type pair struct {
	conn   *duplex
	life   *os.File
	theirs []*os.File // in the order of their descriptors
}

func newPair() (*pair, error) {
	var ends [6]*os.File
	for i := 0; i < len(ends); i += 2 {
		var err error
		if ends[i], ends[i+1], err = os.Pipe(); err != nil {
			for _, end := range ends[:i] {
				_ = end.Close() // nothing has used it
			}
			return nil, err
		}
	}
	return &pair{
		conn: &duplex{in: rawio.New(ends[2]), out: rawio.New(ends[1])}, life: ends[5],
		theirs: []*os.File{ends[0], ends[3], ends[4]},
	}, nil
}

func (p *pair) closeTheirs() {
	for _, f := range p.theirs {
		_ = f.Close() // the worker has its own descriptors by now
	}
}

func (p *pair) closeOurs() error { return errors.Join(p.conn.Close(), p.life.Close()) }

// ownGroup protects the worker from a terminal's Ctrl-C: the gateway decides when the
// worker ends.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// openConn opens the end of a checker, which reads while it works.
func openConn() (io.ReadWriteCloser, error) {
	if err := errors.Join(unix.SetNonblock(inFD, true), unix.SetNonblock(outFD, true)); err != nil {
		return nil, err
	}
	return &duplex{in: rawio.New(os.NewFile(inFD, "gateway")), out: rawio.New(os.NewFile(outFD, "gateway"))}, nil
}
