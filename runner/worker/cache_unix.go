//go:build unix

package worker

import (
	"os"
	"syscall"
)

// trusted is dir when only this user can have written what is in it, and ""
// otherwise: the engine executes machine code from there, so it is compiled anew
// when in doubt. The folder is made when it does not exist.
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
