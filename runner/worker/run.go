package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/internal/cancels"
	"github.com/toolscript/toolscript/runner/internal/grace"
	"github.com/toolscript/toolscript/runner/internal/guard"
	"github.com/toolscript/toolscript/runner/internal/held"
	"github.com/toolscript/toolscript/runner/internal/proc"
	"github.com/toolscript/toolscript/runner/report"
)

const (
	// killGrace is how much longer than its limit a script may take before its
	// worker is killed: the worker ends it earlier, and survives.
	killGrace = 300 * time.Millisecond
	// cancelGrace is the same for a run that is cancelled.
	cancelGrace = 100 * time.Millisecond
	// cpuPoll is how often the processor time and the memory of a worker are looked at.
	cpuPoll = 100 * time.Millisecond
	// mostMemory is what a worker may hold. The heap of its script has a limit of its
	// own; what can grow beside it are answers for which a script has no time. A
	// script that awaits its calls has no more of them there than calls under way.
	mostMemory = 1 << 30
)

// A run is the gateway's side of one job.
type run struct {
	sandbox *Sandbox
	job     runner.Job
	host    runner.Host
	begun   time.Time
	cpu     time.Duration // of the worker, when it began

	ctx     context.Context // of calls and of standard input; ends with the run
	cancel  context.CancelFunc
	pending sync.WaitGroup  // goroutines that use host
	calls   *held.Held      // what calls that have not ended keep in memory
	cancels cancels.Cancels // of calls that have not ended

	ended  chan runner.Outcome // the worker's word
	broken chan error          // the worker is not understood, or gone, or we failed

	wishes atomic.Int64 // for pieces of standard input, not yet granted
	stdin  []byte       // read from host and not yet sent; only the goroutine that grants touches it

	mu   sync.Mutex // held while the worker is answered
	over bool
}

func newRun(ctx context.Context, s *Sandbox, job runner.Job, host runner.Host) *run {
	r := &run{
		sandbox: s, job: job, host: host, begun: time.Now(),
		ended: make(chan runner.Outcome, 1), broken: make(chan error, 1), calls: held.New(),
	}
	if job.Limits.CPUMs > 0 {
		r.cpu = proc.CPUTime(s.PID())
	}
	r.ctx, r.cancel = context.WithCancel(ctx)
	return r
}

// run sends the job and waits for its end, which it forces when it must.
func (r *run) run(ctx context.Context) (runner.Outcome, error) {
	if err := r.send(ctx); errors.Is(err, errFrameTooLong) {
		return r.outcome(r.tooLong(err)), nil // nothing was sent, and the worker is well
	} else if err != nil {
		return r.unsent(ctx, err)
	}
	r.spawn(r.receive)
	if r.job.Clock != nil {
		r.spawn(r.relayClock)
	}
	wall := r.wallTimer()
	defer wall.Stop()
	poll := time.NewTicker(cpuPoll)
	defer poll.Stop()
	stop, cancelled := ctx.Done(), (<-chan time.Time)(nil)
	for {
		select {
		case outcome := <-r.ended:
			return outcome, nil
		case err := <-r.broken:
			return r.lost(err)
		case <-stop:
			stop, cancelled = nil, time.After(cancelGrace)
			r.spawn(r.sayCancel) // waits for no worker that is stuck; cancelled is next
		case <-cancelled:
			return r.kill(r.cancelled(ctx))
		case <-wall.C:
			if left := milliseconds(r.job.Limits.TimeoutMs) + killGrace - r.job.Clock.Since(r.begun); left > 0 { // it stood still
				wall.Reset(max(left, cpuPoll))
				continue
			}
			return r.kill(r.timedOut())
		case <-poll.C:
			if e := r.overrun(); e != nil {
				return r.kill(e)
			}
		}
	}
}

// overrun is the limit that the worker has met, if any.
func (r *run) overrun() *toolscript.RunError {
	limit := milliseconds(r.job.Limits.CPUMs)
	switch pid := r.sandbox.PID(); {
	case limit > 0 && proc.CPUTime(pid)-r.cpu > limit+killGrace:
		return r.timedOut()
	case proc.RSS(pid) > mostMemory:
		return report.AnswersWait(mostMemory)
	}
	return nil
}

// wallTimer fires when the worker has overrun; without a limit it never does.
func (r *run) wallTimer() *time.Timer {
	limit := milliseconds(r.job.Limits.TimeoutMs)
	if limit <= 0 {
		limit = never
	}
	return time.NewTimer(limit + killGrace)
}

const never = 100 * 365 * 24 * time.Hour

// spawn runs f beside the run. A panic in it ends the run, and the worker with
// it, since nobody knows what the two have said to each other.
func (r *run) spawn(f func()) {
	r.pending.Go(func() {
		if err := guard.Do(r.sandbox.log, "run "+r.job.RunID, f); err != nil {
			r.breaks(err)
		}
	})
}

// breaks ends the run with an error, unless another one has.
func (r *run) breaks(err error) {
	select {
	case r.broken <- err:
	default:
	}
}

// receive reads what the worker says until it ends the run. Output is passed on
// before the next message is read: a host that does not take it holds the
// script up.
func (r *run) receive() {
	for {
		kind, payload, err := r.sandbox.link.read()
		if err == nil && kind == frameEnd {
			var outcome runner.Outcome
			if err = json.Unmarshal(payload, &outcome); err == nil && r.sandbox.link.more() {
				err = errors.New("it went on after its end") // which the next run would hear
			}
			if err == nil {
				r.ended <- outcome
				return
			}
		}
		if err == nil {
			err = r.handle(kind, payload)
		}
		if err != nil {
			r.breaks(err)
			return
		}
	}
}

func (r *run) handle(kind frameType, payload []byte) error {
	switch kind {
	case frameStdout:
		r.write(runner.Stdout, string(payload))
	case frameStderr:
		r.write(runner.Stderr, string(payload))
	case frameCall:
		return r.begin(payload)
	case frameCancelCall:
		var header callHeader
		_, err := split(payload, &header)
		r.cancels.Cancel(header.CallID)
		return err
	case frameWantStdin:
		if r.wishes.Add(1) == 1 {
			r.spawn(r.grantStdin)
		}
	default:
		return fmt.Errorf("a sandbox sent message %d", kind)
	}
	return nil
}

// finish cancels what the script left behind and lets nothing more through. A
// worker that has ended the run but does not read what it is told is killed.
func (r *run) finish() {
	r.cancel()
	deaf := time.AfterFunc(grace.Period, r.sandbox.Kill)
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	if !deaf.Stop() {
		<-r.sandbox.done // a worker that ends must not seem free for the next run
	}
	grace.Wait(&r.pending)
}

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// kill ends the run together with its worker.
func (r *run) kill(e *toolscript.RunError) (runner.Outcome, error) {
	r.sandbox.Kill()
	<-r.sandbox.done
	return r.outcome(e), ErrKilled
}
