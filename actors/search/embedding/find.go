package embedding

import (
	"os"
	"path/filepath"
	"runtime"
)

// Find returns the path of the program: named, if it is not empty, else next to the
// running program, after resolving symbolic links.
func Find(named string) (string, error) {
	if named != "" {
		return filepath.Abs(named)
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	name := ProgramName
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(filepath.Dir(self), name), nil
}
