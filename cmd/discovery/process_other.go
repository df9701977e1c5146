//go:build !linux && !darwin && !windows

package discovery

import (
	"fmt"
	"runtime"
)

func startTime(int) (uint64, error) {
	return 0, fmt.Errorf("when a process began is not known on %s", runtime.GOOS)
}

func pidNamespace() string { return "" }
