//go:build !linux

package files

import (
	"fmt"
	"os"
	"sync"
)

// begun returns the state of the executable file at the first call, when a gateway starts its first worker.
var begun = sync.OnceValue(func() os.FileInfo {
	path, err := os.Executable()
	if err != nil {
		return nil
	}
	info, _ := os.Stat(path) // after an error info is nil, and unchanged does not compare
	return info
})

// unchanged reports whether the path still leads to the file of this process.
func unchanged(path string) bool {
	own := begun()
	now, err := os.Stat(path)
	return own == nil || err == nil && os.SameFile(own, now)
}

func replaced(path string) (string, error) {
	return "", fmt.Errorf("the program %s was replaced or removed while this process runs; to use the new one: toolscript gateway restart", path)
}
