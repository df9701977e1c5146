package worker

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/session"
)

// Run implements runner.Runner. It returns at most 350 ms after the end of ctx and 550 ms
// after a limit, and the script has stopped then. Calls of host that do not return within 250
// ms after the end of their ctx are abandoned.
func (s *Sandbox) Run(ctx context.Context, job runner.Job, host runner.Host) (runner.Outcome, error) {
	r := newRun(ctx, s, job, host)
	outcome, err := r.run(ctx)
	r.close()
	return outcome, err
}

// begin sends the names that the job needs, if the worker does not have them, and the job.
func (s *Sandbox) begin(job runner.Job) error {
	names := job.Names
	if names == nil {
		names = &naming.Names{}
	}
	if names.Key == "" || names.Key != s.names {
		if err := s.link.writeJSON(frameNames, names, nil); err != nil {
			return err
		}
		s.names = names.Key
	}
	job.Names = nil
	return s.link.writeJSON(frameRun, job, nil)
}

// A sandboxRun is the connection between one session and its worker.
type sandboxRun struct {
	*session.Session
	sandbox *Sandbox
	job     runner.Job
	idler   runner.Idler // nil unless Job.Idle is set

	wanted atomic.Int64 // number of pieces of standard input that the worker asked for and did not get yet
	stdin  []byte       // read from the session and not yet sent; only grantStdin uses it

	mu   sync.Mutex // held while a frame is sent
	over bool
}

func newRun(ctx context.Context, s *Sandbox, job runner.Job, host runner.Host) *sandboxRun {
	r := &sandboxRun{sandbox: s, job: job, idler: idlerOf(job, host)}
	r.Session = session.New(ctx, s, job, host, session.Options{
		Log: s.log, Poll: limitPoll, LimitGrace: killGrace, Overrun: r.overrun,
		Cancel: r.sendCancel, CancelGrace: cancelGrace, MaxAnswer: MaxFrame - numberSize, Deliver: r.deliver,
	})
	return r
}

// run sends the job and waits for the end of the run.
func (r *sandboxRun) run(ctx context.Context) (runner.Outcome, error) {
	switch err := r.sendJob(ctx); {
	case errors.Is(err, errFrameTooLong): // nothing was sent, so the worker can still be used
		return r.Outcome(toolscript.Fail(toolscript.TooLarge, fmt.Sprintf("the script and its arguments are too long: %v", err))), nil
	case err != nil && ctx.Err() != nil:
		return r.kill(r.Cancelled(ctx))
	case err != nil && r.WallOver():
		return r.kill(r.TimedOut())
	case err != nil:
		return r.lost(fmt.Errorf("%w: %w", runner.ErrNotBegun, err))
	}
	r.Go(r.receive)
	if r.job.Clock != nil {
		r.Go(r.relayClock)
	}
	outcome, stopped, err := r.Wait(ctx)
	switch {
	case err != nil:
		return r.lost(err)
	case stopped != nil:
		return r.kill(stopped)
	}
	return outcome, nil
}

// sendJob sends the worker its job.
func (r *sandboxRun) sendJob(ctx context.Context) error {
	sent := make(chan struct{})
	defer close(sent)
	r.Go(func() { r.killUnread(ctx, sent) })
	return r.sandbox.begin(r.job)
}

// receive reads the frames of the worker until one ends the run. It passes on output before
// it reads the next frame, so a host that does not take output blocks the script.
func (r *sandboxRun) receive() {
	for first := true; ; first = false {
		kind, payload, err := r.sandbox.link.read()
		if first && err != nil {
			err = r.sandbox.unreadJob(err)
		}
		if err == nil && kind == frameEnd {
			var outcome runner.Outcome
			if outcome, err = splitEnd(payload); err == nil && r.sandbox.link.more() {
				err = errors.New("it sent frames after the end of the script") // the next run would read them
			}
			if err == nil {
				r.End(outcome)
				return
			}
		}
		if err == nil {
			err = r.handle(kind, payload)
		}
		if err != nil {
			r.Fail(err)
			return
		}
	}
}

func (r *sandboxRun) handle(kind frameType, payload []byte) error {
	if stream, is := streamOf(kind); is {
		r.Write(stream, string(payload))
		return nil
	}
	switch kind {
	case frameCall:
		call, err := splitCall(payload)
		if err != nil {
			return err
		}
		return r.Call(call, len(payload))
	case frameCancelCall:
		number, _, err := splitNumber(payload)
		r.CancelCall(callID(number))
		return err
	case frameIdle:
		return r.idle(payload)
	case frameWantStdin:
		if r.wanted.Add(1) == 1 {
			r.Go(r.grantStdin)
		}
	default:
		return fmt.Errorf("a sandbox sent message %d", kind)
	}
	return nil
}

// deliver sends the answer of a call to the worker. The goroutine that reads from a server may call it, so it
// does not block if the worker does not read or another frame is being sent: rest sends the remainder then.
func (r *sandboxRun) deliver(a session.Answer) (rest func()) {
	kind := frameAnswer
	value, with := a.Text()
	switch {
	case a.Failure != nil:
		kind, value = frameFailure, a.Failure.JSON()
	case with:
		kind = frameContent
	}
	link, number := r.sandbox.link, numberOf(a.CallID)
	if len(value) > maxCopied || link.now == nil || !r.mu.TryLock() {
		return func() { _ = r.send(kind, binary.BigEndian.AppendUint32(nil, number), value) } // the reader of frames sees a broken link
	}
	var left []byte
	if r.open(kind) {
		left = link.writeNow(kind, number, value)
	}
	if left == nil {
		r.mu.Unlock()
		return nil
	}
	return func() {
		defer r.mu.Unlock()
		_, _ = link.w.Write(left) // the reader of frames sees a broken link
	}
}

// sendCancel asks the worker to end its script.
func (r *sandboxRun) sendCancel() { _ = r.send(frameCancel) }

// send sends a frame, unless the run is over.
func (r *sandboxRun) send(t frameType, parts ...[]byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.open(t) {
		return nil
	}
	return r.sandbox.link.write(t, parts...)
}

// open reports whether a frame may be sent. After the end of a run, the next run would read
// it. A cancelled run gets no more answers: the cancellation itself causes answers, and the
// script would continue or fail with them. The caller holds mu.
func (r *sandboxRun) open(t frameType) bool {
	return !r.over && (t == frameCancel || r.Context().Err() == nil)
}

// close ends the session. It kills a worker that has ended the run but does not read.
func (r *sandboxRun) close() {
	r.Stop()
	killTimer := time.AfterFunc(session.GracePeriod, r.sandbox.Kill)
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	if !killTimer.Stop() {
		<-r.sandbox.done // the pool must not lend a worker that is ending
	}
	r.Close()
}
