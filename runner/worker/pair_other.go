//go:build !unix

package worker

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// A pair is the connection between gateway and worker.
type pair struct {
	conn   *duplex
	life   *os.File
	theirs []*os.File
}

var errNoWorkers = errors.New("script workers need a Unix system: this one passes no pipes to a new process")

func newPair() (*pair, error) { return nil, errNoWorkers }

func (p *pair) closeTheirs() {}

func (p *pair) closeOurs() error { return nil }

func ownGroup() *syscall.SysProcAttr { return nil }

func openConn() (io.ReadWriteCloser, error) { return nil, errNoWorkers }

type channel struct {
	io.ReadWriter
	readable func() error
}

func openChannel() (*channel, error) { return nil, errNoWorkers }

func (*channel) wait(time.Duration, bool) (bool, error) { return false, errNoWorkers }
