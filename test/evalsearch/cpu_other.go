//go:build !unix

package main

import "time"

// cpuTime is not available on other systems: costs are shown as 0.
func cpuTime() time.Duration { return 0 }
