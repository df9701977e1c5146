//go:build !linux

package command

import (
	"runtime"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/confine"
)

// Confinement reports which restrictions are active for programs on this machine.
func Confinement() []toolscript.Confinement {
	part := toolscript.Confinement{Name: filesName}
	if runtime.GOOS != "darwin" {
		part.Detail = "commands are confined on Linux and macOS only; this is " + runtime.GOOS
		return []toolscript.Confinement{part}
	}
	if part.Detail = confine.SeatbeltMissing(); part.Detail == "" {
		part.Active, part.Detail = true, "a profile of the macOS sandbox"
	}
	return []toolscript.Confinement{part}
}
