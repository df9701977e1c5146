package files

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

const noWait = unix.O_NONBLOCK

// open opens a path in a folder with O_PATH: the descriptor gives no access to the content.
func open(dir, rel string) (*os.File, error) {
	top, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	defer unix.Close(top) //nolint:errcheck // only read
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS}
	path := filepath.Join(dir, rel)
	for range 1000 { // after EAGAIN: a folder was renamed at the same time
		fd, err := unix.Openat2(top, rel, &how)
		switch {
		case err == nil:
			return os.NewFile(uintptr(fd), path), nil
		case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM): // before Linux 5.6, or in a container that refuses it
			return openPortably(dir, rel)
		case !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR):
			return nil, &os.PathError{Op: "open", Path: path, Err: err}
		}
	}
	return nil, &os.PathError{Op: "open", Path: path, Err: unix.EAGAIN}
}

// pathOf returns a path that leads to an open file, whatever is renamed or linked meanwhile.
func pathOf(f *os.File) string {
	path := "/proc/self/fd/" + strconv.Itoa(int(f.Fd()))
	if _, err := os.Stat(path); err != nil { //nolint:gosec // G703: the path is of an own descriptor
		return f.Name() // without /proc
	}
	return path
}

func realOf(f *os.File) string {
	if path, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(f.Fd()))); err == nil && filepath.IsAbs(path) {
		return path
	}
	return f.Name()
}
