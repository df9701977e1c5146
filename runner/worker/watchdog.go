package worker

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/toolscript/toolscript/runner"
)

const (
	// watchdogGrace is how far a script may exceed its limits before its worker ends itself.
	// The engine stops the script earlier; the gateway kills the worker later.
	watchdogGrace = 150 * time.Millisecond
	watchdogPoll  = 50 * time.Millisecond
)

// A watchdog ends a worker whose script exceeds its limits because the engine hangs in native
// code. It only works while goroutines run; otherwise the gateway kills the worker.
type watchdog struct{ stop func() }

func watch(j runner.Job) watchdog {
	begun, cpu := time.Now(), usedCPU()
	wall, most := milliseconds(j.Limits.TimeoutMs), milliseconds(j.Limits.CPUMs)
	if wall <= 0 && most <= 0 {
		return watchdog{stop: func() {}}
	}
	over := make(chan struct{})
	go func() {
		poll := time.NewTicker(watchdogPoll)
		defer poll.Stop()
		for {
			select {
			case <-over:
				return
			case <-poll.C:
			}
			if wall > 0 && j.Clock.Since(begun) > wall+watchdogGrace || most > 0 && usedCPU()-cpu > most+watchdogGrace {
				fmt.Fprintln(os.Stderr, "the script has exceeded its limits")
				os.Exit(exitOverrun)
			}
		}
	}()
	return watchdog{stop: sync.OnceFunc(func() { close(over) })}
}

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
