//go:build unix

package worker

import (
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript"
)

// workerNice is the priority of workers: the gateway runs before scripts.
const workerNice = 10

// maxFiles bounds the descriptors of a worker.
const maxFiles = 32

// limitResources limits the resources of this process. Address space is not limited: Go and
// the engine reserve much more than they use. Nor is the number of processes limited: the
// limit would count all threads of the user.
func limitResources() ([]toolscript.Confinement, error) {
	limits := []struct {
		name     string
		resource int
		value    uint64
	}{
		{"RLIMIT_CORE", unix.RLIMIT_CORE, 0},
		{"RLIMIT_FSIZE", unix.RLIMIT_FSIZE, 0}, // standard error is a pipe, which has no size
		{"RLIMIT_NOFILE", unix.RLIMIT_NOFILE, maxFiles},
	}
	for _, l := range limits {
		if err := unix.Setrlimit(l.resource, &unix.Rlimit{Cur: l.value, Max: l.value}); err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
	}
	// A priority belongs to a thread; setting it for the process group covers all threads.
	if err := unix.Setpriority(unix.PRIO_PGRP, 0, workerNice); err != nil {
		return nil, fmt.Errorf("setpriority: %w", err)
	}
	return []toolscript.Confinement{
		{Name: "environment", Active: slices.Equal(os.Environ(), environment), Detail: fmt.Sprintf("%d variables", len(os.Environ()))},
		{Name: "process group", Active: unix.Getpgrp() == os.Getpid(), Detail: "its own: signals of a terminal do not reach it"},
		{Name: "priority", Active: true, Detail: fmt.Sprintf("nice %d", workerNice)},
		{Name: "limits", Active: true, Detail: fmt.Sprintf("%d open files, no byte written to a file, no core dump", maxFiles)},
	}, nil
}
