//go:build !linux && !windows

package worker

import (
	"os/exec"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/confine"
)

// confineSelf confines the worker as far as this system can, and reports which restrictions are active.
func confineSelf() ([]toolscript.Confinement, error) {
	parts, err := limitResources()
	if err != nil {
		return nil, err
	}
	landlock, err := confine.Landlock()
	if err != nil {
		return nil, err
	}
	seccomp, err := confine.Seccomp()
	return append(parts, landlock, seccomp), err
}

func startPlain(cmd *exec.Cmd) error { return cmd.Start() }
