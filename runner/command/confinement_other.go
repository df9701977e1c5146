//go:build !linux

package command

import (
	"os"
	"runtime"

	"github.com/toolscript/toolscript"
)

// Confinement reports what holds for programs on this machine.
func Confinement() []toolscript.Confinement {
	part := toolscript.Confinement{Name: filesName}
	if runtime.GOOS != "darwin" {
		part.Detail = "commands are confined on Linux and macOS only; this is " + runtime.GOOS
		return []toolscript.Confinement{part}
	}
	if _, err := os.Stat(seatbeltProgram); err != nil {
		part.Detail = "this system has no " + seatbeltProgram
		return []toolscript.Confinement{part}
	}
	part.Active, part.Detail = true, "a profile of the macOS sandbox"
	return []toolscript.Confinement{part}
}
