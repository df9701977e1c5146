//go:build !linux && !darwin

package confined

import (
	"errors"
	"runtime"

	"github.com/toolscript/toolscript"
)

func (s Spec) become() error { return errors.New("there is no helper on " + runtime.GOOS) }

// Wrap returns the arguments that start the server, which is not confined.
func (s Spec) Wrap(string) ([]string, error) { return append([]string{s.Path}, s.Args[1:]...), nil }

// Parts reports that servers are not confined on this system.
func Parts([]string) []toolscript.Confinement {
	detail := "servers are confined on Linux and macOS only; this is " + runtime.GOOS
	return []toolscript.Confinement{{Name: filesName, Detail: detail}, {Name: networkName, Detail: detail}}
}
