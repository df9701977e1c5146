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

// A Call is a system call whose caller waits.
type Call struct {
	PID    int // of the thread, in the namespace of this process
	Number uint32
	Args   [6]uint64

	id   uint64
	from *Listener
}

// Valid reports whether the caller still waits. Its number may be that of another process
// otherwise: what was read about it before is worth nothing then.
func (c *Call) Valid() bool {
	id := c.id
	return c.from.control(unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&id)) == nil //nolint:gosec // the call takes an address
}

// Int is an argument of type int, such as a descriptor.
func (c *Call) Int(arg int) int { return int(int32(c.Args[arg])) }

// Bytes reads n bytes of the caller's memory.
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

// Text reads a text that ends with a zero byte, and has at most the length of a path.
func (c *Call) Text(at uint64) (string, error) {
	var text []byte
	page := uint64(os.Getpagesize())
	for len(text) < unix.PathMax {
		chunk := make([]byte, min(page-at%page, unix.PathMax)) // the next page may not be there
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

// read reads memory, and makes sure that it was that of the caller.
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

// Path reads a path and makes it absolute: relative to a descriptor of a folder, or to the
// working directory with AT_FDCWD. Symbolic links and ".." stay, but /proc/self becomes the
// folder of the caller. An empty path is the error ENOENT, as the kernel has it.
func (c *Call) Path(dirfd int, at uint64) (string, error) { return c.PathAt(dirfd, at, 0) }

// PathAt is Path for a call with flags: with AT_EMPTY_PATH an empty path is the descriptor
// itself.
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

// Folder is the path of a descriptor of the caller; AT_FDCWD is its working directory.
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

// own replaces the links of /proc that lead each process to its own folder.
func (c *Call) own(path string) string {
	for _, link := range []string{"/proc/self", "/proc/thread-self"} {
		if rest, ok := strings.CutPrefix(path, link); ok && (rest == "" || rest[0] == '/') {
			return "/proc/" + strconv.Itoa(c.PID) + rest
		}
	}
	return path
}
