package notify

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Listener receives the calls of the processes of one filter.
type Listener struct {
	file   *os.File
	raw    syscall.RawConn
	in     []byte // struct seccomp_notif
	out    []byte // struct seccomp_notif_resp
	closed atomic.Bool
}

// The parts of the kernel's structures that this package uses. Newer kernels append fields.
type (
	request struct {
		id     uint64
		pid    uint32
		flags  uint32
		number int32
		arch   uint32
		ip     uint64
		args   [6]uint64
	}
	response struct {
		id    uint64
		value int64
		errno int32
		flags uint32
	}
	sizes struct{ request, response, data uint16 }
)

// Receive waits for the listener that a helper sends, and closes the socket.
func Receive(ctx context.Context, socket *os.File) (*Listener, error) {
	conn, err := net.FileConn(socket)
	_ = socket.Close() // conn is a copy
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	defer func() { _ = conn.Close() }() // it may be closed already
	oob := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := conn.(*net.UnixConn).ReadMsgUnix(make([]byte, 1), oob)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("the helper sent no listener: %w", err)
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil || len(messages) != 1 {
		return nil, errors.New("the helper ended without a listener")
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil, errors.New("the helper sent something other than a listener")
	}
	return newListener(fds[0])
}

// newListener returns the Listener of a descriptor, which it owns even if it fails.
func newListener(fd int) (*Listener, error) {
	var size sizes
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_NOTIF_SIZES, 0, uintptr(unsafe.Pointer(&size))) //nolint:gosec // the call takes an address
	if errno != 0 {
		_ = unix.Close(fd)
		return nil, os.NewSyscallError("seccomp", errno)
	}
	unix.CloseOnExec(fd)
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return nil, os.NewSyscallError("fcntl", err)
	}
	l := &Listener{file: os.NewFile(uintptr(fd), "listener")} // non-blocking: the runtime polls it
	raw, err := l.file.SyscallConn()
	if err != nil {
		_ = l.file.Close()
		return nil, err
	}
	l.raw = raw
	l.in = make([]byte, max(int(size.request), int(unsafe.Sizeof(request{}))))
	l.out = make([]byte, max(int(size.response), int(unsafe.Sizeof(response{}))))
	return l, nil
}

// Serve calls handle for each call, one after another, and answers with its result. It
// returns when all processes of the filter have ended, or after Close. In a process that
// outlives the listener, the calls of the filter fail with ENOSYS.
func (l *Listener) Serve(handle func(*Call) Answer) error {
	for {
		call, err := l.next()
		if err == nil && call != nil {
			if err = l.answer(call.id, handle(call)); err == nil || errors.Is(err, ErrGone) {
				continue
			}
		}
		if l.closed.Load() {
			return nil // Close was called; err is about the closed descriptor
		}
		return err
	}
}

// Close ends Serve. It may be called at any time and more than once.
func (l *Listener) Close() error {
	if l.closed.Swap(true) {
		return nil
	}
	return l.file.Close()
}

// next waits for a call. It returns nil if all processes have ended.
func (l *Listener) next() (call *Call, err error) {
	failed := l.raw.Read(func(fd uintptr) bool {
		for {
			poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			if _, err = unix.Poll(poll, 0); err != nil && !errors.Is(err, unix.EINTR) {
				return true
			}
			switch {
			case poll[0].Revents&unix.POLLIN != 0:
			case poll[0].Revents != 0: // POLLHUP
				err = nil
				return true
			default:
				return false
			}
			clear(l.in)                                                              // required by the kernel
			err = ioctl(fd, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&l.in[0])) //nolint:gosec // the call takes an address
			if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EINTR) {
				continue // the caller has ended
			}
			if err == nil {
				r := (*request)(unsafe.Pointer(&l.in[0])) //nolint:gosec // the buffer has the kernel's size
				call = &Call{PID: int(r.pid), Number: uint32(r.number), Args: r.args, id: r.id, from: l}
			}
			return true
		}
	})
	return call, errors.Join(failed, err)
}

func (l *Listener) answer(id uint64, a Answer) error {
	clear(l.out)
	r := (*response)(unsafe.Pointer(&l.out[0])) //nolint:gosec // the buffer has the kernel's size
	r.id, r.value, r.errno = id, a.value, -int32(a.errno)
	if !a.done {
		r.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	}
	return l.control(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&l.out[0])) //nolint:gosec // the call takes an address
}

// control makes an ioctl about one call. It returns ErrGone if the call has ended.
func (l *Listener) control(order uintptr, at unsafe.Pointer) (err error) {
	failed := l.raw.Control(func(fd uintptr) {
		for {
			if err = ioctl(fd, order, at); !errors.Is(err, unix.EINTR) {
				return
			}
		}
	})
	if errors.Is(err, unix.ENOENT) {
		err = ErrGone
	}
	return errors.Join(failed, err)
}

func ioctl(fd, order uintptr, at unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, fd, order, uintptr(at)); errno != 0 {
		return os.NewSyscallError("ioctl", errno)
	}
	return nil
}
