package worker

import (
	"context"
	"time"

	"github.com/toolscript/toolscript/runner"
)

// send tells the worker its job. Until it has read all of it nothing else bounds the
// run, so that a worker that does not read is killed.
func (r *run) send(ctx context.Context) error {
	sent := make(chan struct{})
	defer close(sent)
	r.spawn(func() { r.killDeaf(ctx, sent) })
	return r.sandbox.begin(r.job)
}

// killDeaf kills the worker when the time of the run is over, or shortly after the
// run was cancelled, unless the job has been sent.
func (r *run) killDeaf(ctx context.Context, sent <-chan struct{}) {
	wall := r.wallTimer()
	defer wall.Stop()
	select {
	case <-sent:
		return
	case <-wall.C:
	case <-ctx.Done():
		select {
		case <-sent:
			return
		case <-time.After(cancelGrace):
		}
	}
	r.sandbox.Kill()
}

// unsent ends a run whose worker has not read its job.
func (r *run) unsent(ctx context.Context, cause error) (runner.Outcome, error) {
	limit := milliseconds(r.job.Limits.TimeoutMs)
	switch {
	case ctx.Err() != nil:
		return r.kill(r.cancelled(ctx))
	case limit > 0 && r.job.Clock.Since(r.begun) >= limit:
		return r.kill(r.timedOut())
	}
	return r.lost(cause)
}
