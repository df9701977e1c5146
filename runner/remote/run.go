package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/session"
)

const (
	// limitGrace is how far a run may exceed its limits before the gateway ends it. Normally
	// the runner enforces the limits.
	limitGrace = 5 * time.Second

	// cancelGrace is how long the gateway waits for the outcome of a cancelled run.
	cancelGrace = time.Second

	// copied is the size in bytes above which another goroutine sends an answer.
	copied = 16 << 10
)

// Run implements runner.Runner. It sends the job once. An error of kind Unavailable means
// that the runner was lost: the script may have run partially, and is not started again. Jobs
// with standard input are not supported.
func (s *Sandbox) Run(ctx context.Context, j runner.Job, host runner.Host) (runner.Outcome, error) {
	if j.Stdin {
		return runner.Outcome{}, &toolscript.Error{Kind: toolscript.Unsupported, Err: errors.New("a run with standard input needs a sandbox of this machine")}
	}
	r := &remoteRun{sandbox: s}
	if j.Idle {
		r.idler, _ = host.(runner.Idler)
	}
	r.Session = session.New(ctx, machine{s.link.done}, j, host, session.Options{
		Log: s.log, Poll: time.Second, LimitGrace: limitGrace, Overrun: func() *toolscript.RunError { return nil },
		Cancel: r.sendCancel, CancelGrace: cancelGrace, MaxAnswer: maxFrame, Deliver: r.deliver,
	})
	outcome, err := r.run(ctx, j)
	r.Stop()
	r.Close()
	return outcome, err
}

// machine implements session.Process for a remote sandbox.
type machine struct{ done chan struct{} }

// PID implements session.Process. It returns 0, because the process is on another machine.
func (machine) PID() int { return 0 }

// Done implements session.Process.
func (m machine) Done() <-chan struct{} { return m.done }

// remoteRun connects a session with its runner.
type remoteRun struct {
	*session.Session
	sandbox *Sandbox
	idler   runner.Idler
}

func (r *remoteRun) run(ctx context.Context, j runner.Job) (runner.Outcome, error) {
	sent := job{Job: j, Names: j.Names, Idle: r.idler != nil}
	sent.Job.Names, sent.Job.Idle, sent.Job.Env = nil, false, nil // the gateway's URL is only valid here
	text, err := json.Marshal(sent)
	if err == nil && len(text) > maxFrame {
		return r.Outcome(toolscript.Fail(toolscript.TooLarge, fmt.Sprintf("the script and its arguments have %d bytes; at most %d can be sent to a runner", len(text), maxFrame))), nil
	}
	if err != nil {
		return runner.Outcome{}, err
	}
	r.sandbox.link.send(frameJob, text)
	r.Go(r.receive)
	if j.Clock != nil {
		r.Go(func() { r.relayClock(j.Clock) })
	}
	outcome, stopped, err := r.Wait(ctx)
	switch {
	case err != nil:
		return runner.Outcome{}, err
	case stopped != nil:
		return r.Outcome(stopped), nil
	}
	return outcome, nil
}

// lost returns the error for a runner that was lost during the run.
func (r *remoteRun) lost(why error) error {
	return unavailable(fmt.Errorf("the runner on %s was lost: %w; the script may have run in part and was not started again", r.sandbox.host, why))
}

// receive handles frames until one ends the run. After the end of the context, it waits for
// the outcome for at most cancelGrace.
func (r *remoteRun) receive() {
	link, over, late := r.sandbox.link, r.Context().Done(), (<-chan time.Time)(nil)
	for {
		select {
		case f := <-link.frames():
			ended, err := r.handle(f)
			link.took()
			if err != nil {
				r.Fail(r.lost(err))
			}
			if ended || err != nil {
				return
			}
		case <-link.done:
			r.Fail(r.lost(link.cause()))
			return
		case <-over:
			over, late = nil, time.After(cancelGrace)
		case <-late:
			return
		}
	}
}

// handle handles a frame of the runner. over reports that it ends the run.
func (r *remoteRun) handle(f frame) (over bool, err error) {
	switch f.kind {
	case frameCall:
		var c call
		args, err := split(f.payload, &c)
		if err != nil {
			return false, err
		}
		return false, r.Call(runner.Call{CallID: c.CallID, ID: c.ID, Task: c.Task, Key: c.Key, Args: args}, len(f.payload))
	case frameCancelCall:
		r.CancelCall(string(f.payload))
	case frameOutput:
		if len(f.payload) == 0 || f.payload[0] > byte(runner.Progress) {
			return false, errFrame
		}
		r.Write(runner.Stream(f.payload[0]), string(f.payload[1:]))
	case frameIdle:
		var calls int
		if err := json.Unmarshal(f.payload, &calls); err != nil || r.idler == nil {
			return false, errFrame
		}
		r.idler.Idle(calls)
	case frameEnd:
		return true, r.ended(f.payload)
	default:
		return false, errFrame
	}
	return false, nil
}

// ended handles the outcome of the run. It checks that the value is JSON, because runners are not trusted.
func (r *remoteRun) ended(payload []byte) error {
	var e end
	value, err := split(payload, &e)
	if err != nil {
		return err
	}
	if e.Failed != "" {
		r.Fail(unavailable(fmt.Errorf("the sandbox on %s failed: %s; the script may have run in part and was not started again", r.sandbox.host, e.Failed)))
		return nil
	}
	if e.Value {
		if e.Outcome.Value, err = session.Compact(value); err != nil {
			return errFrame
		}
	}
	r.End(e.Outcome)
	return nil
}

// deliver sends the answer of a call to the runner.
func (r *remoteRun) deliver(a session.Answer) (rest func()) {
	send := func() {
		head, err := join(answer{CallID: a.CallID, Content: a.Content, Failure: a.Failure})
		if err != nil { // a content block that is not JSON
			bare := answer{CallID: a.CallID}
			if a.Failure != nil {
				plain := *a.Failure
				plain.Content, plain.Structured = nil, nil
				bare.Failure = &plain
			}
			head, _ = join(bare)
		}
		if r.Context().Err() == nil { // a cancelled script could otherwise continue with the failures of its calls
			r.sandbox.link.send(frameAnswer, head, a.Value)
		}
	}
	if len(a.Value)+len(a.Content) > copied {
		return send
	}
	send()
	return nil
}

func (r *remoteRun) sendCancel() { r.sandbox.link.send(frameCancel) }

// relayClock tells the runner when the clock of the run stops or continues.
func (r *remoteRun) relayClock(c *runner.Clock) {
	sent := false
	for {
		stopped, changed := c.Watch()
		if stopped != sent {
			sent = stopped
			r.sandbox.link.send(frameClock, strconv.AppendBool(nil, stopped))
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}
