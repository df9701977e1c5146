//go:build unix

package worker

import (
	"errors"
	"net"
	"os"
	"syscall"
)

// The worker finds its ends of a pair at these descriptors.
const (
	socketFD   = 3
	lifelineFD = 4
)

// A pair is what connects gateway and worker: a socket for frames, and a pipe
// that nobody ever writes to. Its write end closes when the gateway ends, by
// whatever cause, and the worker must not outlive that.
type pair struct {
	conn   *net.UnixConn
	life   *os.File
	theirs []*os.File // in the order of their descriptors
}

func newPair() (*pair, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer ours.Close() //nolint:errcheck // FileConn has a descriptor of its own
	conn, err := net.FileConn(ours)
	if err != nil {
		return nil, errors.Join(err, theirs.Close())
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirs.Close(), conn.Close())
	}
	return &pair{conn: conn.(*net.UnixConn), life: write, theirs: []*os.File{theirs, read}}, nil
}

func socketPair() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock() // SOCK_CLOEXEC is not everywhere
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

// ownGroup keeps a terminal's Ctrl-C from the worker: the gateway decides when
// it ends.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// openSocket is the worker's end.
func openSocket() (net.Conn, error) {
	f := os.NewFile(socketFD, "gateway")
	defer f.Close() //nolint:errcheck // FileConn has a descriptor of its own
	return net.FileConn(f)
}
