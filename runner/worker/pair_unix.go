//go:build unix

package worker

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/internal/rawio"
)

// The descriptors of the worker's ends of a pair.
const (
	inFD       = 3
	outFD      = 4
	lifelineFD = 5
)

// A pair is the connection between gateway and worker: two pipes for frames, and a lifeline
// without data. The write end of the lifeline closes when the gateway ends, for any reason,
// and then the worker must end.
//
// A socket could replace the two pipes, but a read from a socket also wakes the poller of the
// side that writes.
type pair struct {
	conn   *duplex
	life   *os.File
	theirs []*os.File // the worker's ends, in the order of their descriptors
}

func newPair() (*pair, error) {
	var ends []*os.File
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			for _, end := range ends {
				_ = end.Close() // nothing has used it
			}
			return nil, err
		}
		ends = append(ends, r, w)
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

// start starts the worker in its own process group, so that Ctrl-C does not end it: the
// gateway decides when the worker ends.
func (p *pair) start(cmd *exec.Cmd) error {
	cmd.ExtraFiles, cmd.SysProcAttr = p.theirs, &syscall.SysProcAttr{Setpgid: true}
	return startPlain(cmd)
}

// openConn opens the pipes of a checker or converter, which read while they work.
func openConn() (io.ReadWriteCloser, error) {
	if err := errors.Join(unix.SetNonblock(inFD, true), unix.SetNonblock(outFD, true)); err != nil {
		return nil, err
	}
	return &duplex{in: rawio.New(os.NewFile(inFD, "gateway")), out: rawio.New(os.NewFile(outFD, "gateway"))}, nil
}
