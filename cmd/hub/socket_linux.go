package hub

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// maxSocketPath is the maximum length of a unix socket's path, without the final zero.
const maxSocketPath = 107

// folders has the open folders of sockets with long paths, by path. They stay open, because
// a listener removes its socket by the path with which it was opened.
var folders sync.Map

// socketPath returns a path for a socket that is short enough. It replaces a long path by
// one through the open folder.
func socketPath(path string) (string, error) {
	if len(path) <= maxSocketPath {
		return path, nil
	}
	dir := filepath.Dir(path)
	opened, ok := folders.Load(dir)
	if !ok {
		f, err := os.Open(dir) //nolint:gosec // the runtime folder
		if err != nil {
			return "", err
		}
		var lost bool
		if opened, lost = folders.LoadOrStore(dir, f); lost {
			_ = f.Close() // it was only opened
		}
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", opened.(*os.File).Fd(), filepath.Base(path)), nil //nolint:forcetypeassert // nothing else is stored
}
