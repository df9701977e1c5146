package sharing

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// maxSocketPath is the longest path of a unix socket, without the final zero.
const maxSocketPath = 107

// folders are the open folders of sockets with long paths, by path. They stay open: a
// listener removes its socket by the path that it was opened with.
var folders sync.Map

// socketPath is a path of a socket that is short enough. A long path is replaced by one
// that begins at the open folder.
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
			_ = f.Close() // only opened
		}
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", opened.(*os.File).Fd(), filepath.Base(path)), nil //nolint:forcetypeassert // nothing else is stored
}
