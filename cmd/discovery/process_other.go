//go:build !linux && !darwin && !windows

package discovery

import (
	"fmt"
	"runtime"
)

func startTime(int) (uint64, error) {
	return 0, fmt.Errorf("the start time of a process is unknown on %s", runtime.GOOS)
}

func pidNamespace() string { return "" }
