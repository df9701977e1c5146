//go:build !linux

package worker

import (
	"os/exec"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/wall"
)

// lockDown puts up what wall there is on this system and says what holds.
func lockDown() ([]toolscript.WallPart, error) {
	parts, err := limitResources()
	if err != nil {
		return nil, err
	}
	landlock, err := wall.Landlock()
	if err != nil {
		return nil, err
	}
	seccomp, err := wall.Seccomp()
	return append(parts, landlock, seccomp), err
}

func startPlain(cmd *exec.Cmd) error { return cmd.Start() }
