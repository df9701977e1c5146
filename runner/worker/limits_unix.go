//go:build unix

package worker

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// workerNice is the priority of workers: the gateway answers before scripts
// compute.
const workerNice = 10

// limitResources bounds what the system gives this process. Address space is
// not among it: Go and the engine reserve much more than they use. Nor is the
// number of processes, which counts all threads of the user.
func limitResources() ([]string, error) {
	limits := []struct {
		name     string
		resource int
		value    uint64
	}{
		{"RLIMIT_CORE", unix.RLIMIT_CORE, 0},
		{"RLIMIT_FSIZE", unix.RLIMIT_FSIZE, 0}, // standard error is a pipe, which has no size
		{"RLIMIT_NOFILE", unix.RLIMIT_NOFILE, 32},
	}
	for _, l := range limits {
		if err := unix.Setrlimit(l.resource, &unix.Rlimit{Cur: l.value, Max: l.value}); err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
	}
	// A priority belongs to a thread; that of the group reaches all of them.
	if err := unix.Setpriority(unix.PRIO_PGRP, 0, workerNice); err != nil {
		return nil, fmt.Errorf("setpriority: %w", err)
	}
	return []string{"rlimits", "nice"}, nil
}
