//go:build !linux

package confined

import (
	"errors"
	"runtime"

	"github.com/toolscript/toolscript"
)

var errElsewhere = errors.New("servers are confined on Linux only")

func (s Spec) become() error { return errElsewhere }

// Parts says that nothing holds for confined servers on this system.
func Parts() []toolscript.Confinement {
	detail := "servers are confined on Linux only; this is " + runtime.GOOS
	return []toolscript.Confinement{{Name: filesName, Detail: detail}, {Name: networkName, Detail: detail}}
}
