//go:build !unix

package worker

import (
	"errors"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/toolscript/toolscript/rawio"
)

// A pair connects gateway and worker.
type pair struct {
	conn   *rawio.File
	life   *os.File
	theirs []*os.File
}

var errNoWorkers = errors.New("script workers need a Unix system: this one passes no sockets to a new process")

func newPair() (*pair, error) { return nil, errNoWorkers }

func (p *pair) closeTheirs() {}

func (p *pair) closeOurs() error { return nil }

func ownGroup() *syscall.SysProcAttr { return nil }

func openConn() (net.Conn, error) { return nil, errNoWorkers }

type socket struct {
	net.Conn
	readable func() error
}

func openSocket() (*socket, error) { return nil, errNoWorkers }

func (*socket) wait(time.Duration, bool) (bool, error) { return false, errNoWorkers }
