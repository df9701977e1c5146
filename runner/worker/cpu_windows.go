package worker

import (
	"os"
	"time"

	"github.com/toolscript/toolscript/runner"
)

// usedCPU returns the processor time that this process has used.
func usedCPU() time.Duration { return runner.CPUTime(os.Getpid()) }
