package quickjs

import (
	"context"
	"errors"
	"time"

	"github.com/toolscript/toolscript"
)

// Why a run is stopped.
var (
	errTimeout   = errors.New("the script ran longer than its time limit")
	errCPU       = errors.New("the script used more CPU time than its limit")
	errCancelled = errors.New("the run was cancelled")
)

const (
	// grace is how much processor time a run may use beyond its limits to stop
	// where the engine asks, which keeps the script's trace. After it the guest
	// traps. On a busy machine that time may be long in coming, so it ends at
	// slowGrace of the clock too, well before the worker's watchdog.
	grace     = 10 * time.Millisecond
	slowGrace = 50 * time.Millisecond
)

// watch knows when a run must stop.
type watch struct {
	ctx      context.Context
	start    time.Time
	deadline time.Time // zero: none
	cpuStart time.Duration
	cpuLimit time.Duration // 0: none

	reason error         // why the run must stop; nil while it may go on
	since  time.Time     // when it was to stop
	spent  time.Duration // processor time at that moment
}

func newWatch(ctx context.Context, limits toolscript.Limits) *watch {
	w := &watch{
		ctx: ctx, start: time.Now(), cpuStart: cpuTime(),
		cpuLimit: time.Duration(limits.CPUMs) * time.Millisecond,
	}
	if limits.TimeoutMs > 0 {
		w.deadline = w.start.Add(time.Duration(limits.TimeoutMs) * time.Millisecond)
	}
	return w
}

// due says whether the run must stop, and from when on.
func (w *watch) due() bool {
	if w.reason != nil {
		return true
	}
	now := time.Now()
	switch {
	case w.ctx.Err() != nil:
		w.reason, w.since = errCancelled, now
	case !w.deadline.IsZero() && !now.Before(w.deadline):
		w.reason, w.since = errTimeout, w.deadline
	case w.cpuLimit > 0 && now.Sub(w.start) >= w.cpuLimit && cpuTime()-w.cpuStart >= w.cpuLimit:
		w.reason, w.since = errCPU, now
	}
	if w.reason != nil {
		w.spent = cpuTime()
	}
	return w.reason != nil
}

// overdue says whether the time in which to stop by itself has passed too.
func (w *watch) overdue() bool {
	return w.due() && (cpuTime()-w.spent >= grace || time.Since(w.since) >= slowGrace)
}

// extend gives a run that was stopped a last time to say where it stood.
func (w *watch) extend() {
	w.reason, w.ctx, w.cpuLimit = nil, context.WithoutCancel(w.ctx), 0
	w.deadline = time.Now().Add(slowGrace)
}

func (w *watch) elapsed() time.Duration { return time.Since(w.start) }

func (w *watch) cpu() time.Duration { return cpuTime() - w.cpuStart }
