//go:build !unix

package worker

import "time"

func usedCPU() time.Duration { return 0 }
