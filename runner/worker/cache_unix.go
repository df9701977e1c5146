//go:build unix

package worker

import (
	"os"
	"syscall"
)

// trusted returns dir if only this user can write to it, and "" otherwise. The engine
// executes machine code from this folder; without a trusted folder, it compiles again.
// trusted creates the folder if it does not exist.
func trusted(dir string) string {
	if dir == "" || os.MkdirAll(dir, 0o700) != nil {
		return ""
	}
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o022 != 0 {
		return ""
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Geteuid() {
		return ""
	}
	return dir
}
