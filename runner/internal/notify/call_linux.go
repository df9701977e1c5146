package notify

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Call is a system call whose caller waits for an Answer.
type Call struct {
	PID    int // id of the calling thread, in the PID namespace of this process
	Number uint32
	Args   [6]uint64

	id   uint64
	from *Listener
}

// Valid reports whether the caller still waits. If not, PID may belong to another process:
// data that was read about the caller before must be discarded.
func (c *Call) Valid() bool {
	id := c.id
	return c.from.control(unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&id)) == nil //nolint:gosec // the call takes an address
}

// Int returns an argument of type int, such as a descriptor.
func (c *Call) Int(arg int) int { return int(int32(c.Args[arg])) }

// Bytes reads n bytes from the caller's memory.
func (c *Call) Bytes(at uint64, n int) ([]byte, error) {
	b := make([]byte, n)
	if n == 0 {
		return b, nil
	}
	got, err := c.read(at, b)
	if err == nil && got < n {
		err = unix.EFAULT
	}
	if err != nil {
		return nil, fmt.Errorf("read the memory of process %d: %w", c.PID, err)
	}
	return b, nil
}

// Text reads a text that ends with a zero byte from the caller's memory, at most PathMax bytes.
func (c *Call) Text(at uint64) (string, error) {
	var text []byte
	page := uint64(os.Getpagesize())
	for len(text) < unix.PathMax {
		chunk := make([]byte, min(page-at%page, unix.PathMax)) // the next page may not be mapped
		n, err := c.read(at, chunk)
		if err != nil {
			return "", fmt.Errorf("read the memory of process %d: %w", c.PID, err)
		}
		if end := bytes.IndexByte(chunk[:n], 0); end >= 0 {
			return string(append(text, chunk[:end]...)), nil
		}
		text, at = append(text, chunk[:n]...), at+uint64(n)
	}
	return "", fmt.Errorf("read the memory of process %d: %w", c.PID, unix.ENAMETOOLONG)
}

// read reads memory, and returns ErrGone if it may not have been the caller's.
func (c *Call) read(at uint64, to []byte) (int, error) {
	local := []unix.Iovec{{Base: &to[0]}}
	local[0].SetLen(len(to))
	n, err := unix.ProcessVMReadv(c.PID, local, []unix.RemoteIovec{{Base: uintptr(at), Len: len(to)}}, 0)
	if !c.Valid() {
		return 0, ErrGone
	}
	if err == nil && n == 0 {
		err = unix.EFAULT
	}
	return n, err
}

// Path reads a path and makes it absolute: relative to a folder's descriptor, or to the
// working directory for AT_FDCWD. It keeps symbolic links and "..", but replaces /proc/self
// by the folder of the caller. For an empty path it returns ENOENT, as the kernel does.
func (c *Call) Path(dirfd int, at uint64) (string, error) { return c.PathAt(dirfd, at, 0) }

// PathAt is like Path, for a call with flags: with AT_EMPTY_PATH, an empty path means the
// descriptor itself.
func (c *Call) PathAt(dirfd int, at uint64, flags int) (string, error) {
	path, err := c.Text(at)
	if err != nil {
		return "", err
	}
	if path == "" && flags&unix.AT_EMPTY_PATH == 0 {
		return "", unix.ENOENT
	}
	if strings.HasPrefix(path, "/") {
		return c.own(path), nil
	}
	folder, err := c.Folder(dirfd)
	if err != nil {
		return "", err
	}
	if path == "" {
		return folder, nil
	}
	return c.own(strings.TrimSuffix(folder, "/") + "/" + path), nil
}

// Folder returns the path of a descriptor of the caller; AT_FDCWD is its working directory.
func (c *Call) Folder(dirfd int) (string, error) {
	link := "cwd"
	if dirfd != unix.AT_FDCWD {
		link = "fd/" + strconv.Itoa(dirfd)
	}
	folder, err := os.Readlink("/proc/" + strconv.Itoa(c.PID) + "/" + link)
	switch {
	case !c.Valid():
		return "", ErrGone
	case errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("process %d has no descriptor %d: %w", c.PID, dirfd, unix.EBADF)
	}
	return folder, err
}

// own replaces the links in /proc that refer to the own folder of a process.
func (c *Call) own(path string) string {
	for _, link := range []string{"/proc/self", "/proc/thread-self"} {
		if rest, ok := strings.CutPrefix(path, link); ok && (rest == "" || rest[0] == '/') {
			return "/proc/" + strconv.Itoa(c.PID) + rest
		}
	}
	return path
}
