//go:build !linux && !windows

package hub

import (
	"fmt"
)

// maxSocketPath is the maximum length of a unix socket's path on macOS.
const maxSocketPath = 103

// socketPath refuses a path that is too long for a socket.
func socketPath(path string) (string, error) {
	if len(path) > maxSocketPath {
		return "", fmt.Errorf("%s is longer than the %d bytes of a socket's path; name a shorter folder in TOOLSCRIPT_RUNTIME_DIR", path, maxSocketPath)
	}
	return path, nil
}
