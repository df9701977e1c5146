//go:build unix

package worker

import (
	"errors"
	"net"
	"os"
	"syscall"

	"github.com/toolscript/toolscript/rawio"
)

// The descriptors at which the worker finds its ends of a pair.
const (
	socketFD   = 3
	lifelineFD = 4
)

// A pair connects gateway and worker: a socket for frames, and a pipe without data.
// The write end of the pipe closes when the gateway ends, for whatever cause, and the
// worker must end then.
type pair struct {
	conn   *rawio.File
	life   *os.File
	theirs []*os.File // in the order of their descriptors
}

func newPair() (*pair, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirs.Close(), ours.Close())
	}
	return &pair{conn: rawio.New(ours), life: write, theirs: []*os.File{theirs, read}}, nil
}

func socketPair() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock() // SOCK_CLOEXEC does not exist everywhere
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	if err := syscall.SetNonblock(fds[0], true); err != nil {
		return nil, nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(fds[0]), "worker"), os.NewFile(uintptr(fds[1]), "gateway"), nil
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
func openConn() (net.Conn, error) {
	f := os.NewFile(socketFD, "gateway")
	defer f.Close() //nolint:errcheck // FileConn has a descriptor of its own
	return net.FileConn(f)
}
