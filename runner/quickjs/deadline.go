package quickjs

import (
	"context"
	"errors"
	"time"

	"github.com/toolscript/toolscript/runner"
)

// Reasons to stop a run.
var (
	errTimeout   = errors.New("the script ran longer than its time limit")
	errCPU       = errors.New("the script used more CPU time than its limit")
	errCancelled = errors.New("the run was cancelled")
)

const (
	// grace is the CPU time after a limit in which a run may stop at the engine's own check,
	// which keeps the script's trace. After it, the instance traps. On a busy machine, this
	// CPU time may take long, so it also ends after slowGrace of wall time, well before the
	// worker's watchdog.
	grace     = 10 * time.Millisecond
	slowGrace = 50 * time.Millisecond
)

// watch decides when a run must stop.
type watch struct {
	ctx      context.Context
	start    time.Time
	clock    *runner.Clock // clock for limit
	limit    time.Duration // limit of wall time; 0: none
	last     time.Time     // time at which the run must stop in any case; zero: none
	cpuStart time.Duration
	cpuLimit time.Duration // 0: none

	reason error         // why the run must stop; nil while it may continue
	since  time.Time     // time at which it had to stop
	spent  time.Duration // CPU time of the process at that time
}

func newWatch(ctx context.Context, job runner.Job) *watch {
	return &watch{
		ctx: ctx, start: time.Now(), clock: job.Clock, limit: time.Duration(job.Limits.TimeoutMs) * time.Millisecond,
		cpuStart: cpuTime(), cpuLimit: time.Duration(job.Limits.CPUMs) * time.Millisecond,
	}
}

// left returns the remaining wall time of the run. bounded is false if there is no limit.
func (w *watch) left(now time.Time) (left time.Duration, bounded bool) {
	switch {
	case !w.last.IsZero():
		return w.last.Sub(now), true
	case w.limit > 0:
		return w.limit - (now.Sub(w.start) - w.clock.Away()), true
	}
	return 0, false
}

// due reports whether the run must stop. It sets reason, since and spent.
func (w *watch) due() bool {
	if w.reason != nil {
		return true
	}
	now := time.Now()
	left, bounded := w.left(now)
	switch {
	case w.ctx.Err() != nil:
		w.reason, w.since = errCancelled, now
	case bounded && left <= 0:
		w.reason, w.since = errTimeout, now.Add(left)
	case w.cpuLimit > 0 && now.Sub(w.start) >= w.cpuLimit && cpuTime()-w.cpuStart >= w.cpuLimit:
		w.reason, w.since = errCPU, now
	}
	if w.reason != nil {
		w.spent = cpuTime()
	}
	return w.reason != nil
}

// overdue reports whether the run must stop and grace or slowGrace is over.
func (w *watch) overdue() bool {
	return w.due() && (cpuTime()-w.spent >= grace || time.Since(w.since) >= slowGrace)
}

// extend gives a stopped run slowGrace of additional time, to describe where it stopped.
func (w *watch) extend() {
	w.reason, w.ctx, w.cpuLimit = nil, context.WithoutCancel(w.ctx), 0
	w.last = time.Now().Add(slowGrace)
}

func (w *watch) elapsed() time.Duration { return time.Since(w.start) }

func (w *watch) cpu() time.Duration { return cpuTime() - w.cpuStart }
