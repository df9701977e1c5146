//go:build unix

package rawio

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A File is one end of a pipe. Its other methods, such as Close, are those of os.File.
type File struct {
	*os.File
	raw     syscall.RawConn // nil if a call may block
	in, out transfer
}

// New returns a File that owns f.
func New(f *os.File) *File {
	file := &File{File: f}
	file.in.once, file.out.once = file.in.read, file.out.write
	if f.SetDeadline(time.Time{}) != nil {
		return file // Go's poller does not watch f, so calls may block
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return file
	}
	_ = raw.Control(func(fd uintptr) { // after an error f is closed, and Read and Write return that error
		if flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0); err == nil && flags&unix.O_NONBLOCK != 0 {
			file.raw = raw
		}
	})
	return file
}

// A transfer is the state of one direction of a File. The closure once is made only once, because
// a closure for each call would need an allocation.
type transfer struct {
	once func(fd uintptr) (done bool)

	mu   sync.Mutex // held during a call; guards the fields below
	p    []byte
	n    int
	err  error
	wait bool // for writes: wait until the pipe has room
}

func (t *transfer) begin(p []byte, wait bool) { t.p, t.n, t.err, t.wait = p, 0, nil, wait }

func (t *transfer) read(fd uintptr) (done bool) {
	for {
		t.n, t.err = Read(int(fd), t.p)
		if !errors.Is(t.err, unix.EINTR) {
			return !errors.Is(t.err, unix.EAGAIN)
		}
	}
}

func (t *transfer) write(fd uintptr) (done bool) {
	for t.n < len(t.p) {
		n, err := Write(int(fd), t.p[t.n:])
		switch {
		case errors.Is(err, unix.EAGAIN):
			return !t.wait
		case errors.Is(err, unix.EINTR):
		case err != nil:
			t.err = err
			return true
		default:
			t.n += n
		}
	}
	return true
}

// Read implements io.Reader.
func (f *File) Read(p []byte) (int, error) {
	if f.raw == nil || len(p) == 0 {
		return f.File.Read(p)
	}
	t := &f.in
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begin(p, true)
	err := f.raw.Read(t.once)
	t.p = nil
	switch {
	case err != nil:
		return f.File.Read(p) // f is closed or its deadline has passed: os returns the error for that
	case t.err != nil:
		return 0, &os.PathError{Op: "read", Path: f.Name(), Err: t.err}
	case t.n == 0:
		return 0, io.EOF
	}
	return t.n, nil
}

// Write implements io.Writer.
func (f *File) Write(p []byte) (int, error) {
	if f.raw == nil {
		return f.File.Write(p)
	}
	t := &f.out
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begin(p, true)
	err := f.raw.Write(t.once)
	t.p = nil
	switch {
	case err != nil:
		n, err := f.File.Write(p[t.n:]) // f is closed or its deadline has passed: os returns the error for that
		return t.n + n, err
	case t.err != nil:
		return t.n, &os.PathError{Op: "write", Path: f.Name(), Err: t.err}
	}
	return t.n, nil
}

// WriteNow writes as many bytes as fit into the pipe without blocking, and returns their
// number. It reports no error: the next Write returns it.
func (f *File) WriteNow(p []byte) int {
	if f.raw == nil {
		return 0
	}
	t := &f.out
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begin(p, false)
	_ = f.raw.Write(t.once)
	t.p = nil
	return t.n
}
