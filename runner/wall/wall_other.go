//go:build !linux

package wall

import (
	"runtime"

	"github.com/toolscript/toolscript"
)

// Landlock says that this system has none.
func Landlock() (toolscript.WallPart, error) {
	return toolscript.WallPart{Name: LandlockName, Detail: "only Linux has Landlock; this is " + runtime.GOOS}, nil
}

// Seccomp says that this system has none.
func Seccomp() (toolscript.WallPart, error) {
	return toolscript.WallPart{Name: SeccompName, Detail: "only Linux filters system calls; this is " + runtime.GOOS}, nil
}
