//go:build unix

package worker

import (
	"errors"
	"net"
	"os"
	"syscall"
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
