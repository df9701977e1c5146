package llama

import (
	"os"
	"path/filepath"
	"runtime"
)

// Find is where the program is: at named, if that is not empty, else beside the
// program that runs now, which is the place behind its symbolic links.
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
