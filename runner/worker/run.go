package worker

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/internal/proc"
	"github.com/toolscript/toolscript/runner/scripterror"
	"github.com/toolscript/toolscript/runner/session"
)

const (
	// killGrace is how much longer than its limit a script may take before its
	// worker is killed: the worker ends the script earlier, and survives.
	killGrace = 300 * time.Millisecond
	// cancelGrace is the same for a run that is cancelled.
	cancelGrace = 100 * time.Millisecond
	// limitPoll is how often the processor time and the memory of a worker are read.
	limitPoll = 100 * time.Millisecond
	// maxMemory bounds the memory of a worker. The heap of the script has a limit of
	// its own; answers that the script does not take come on top. A script that
	// awaits its calls holds no more answers than calls in flight.
	maxMemory = 1 << 30
)

// A run is the connection between one session and its worker.
type run struct {
	*session.Session
	sandbox *Sandbox
	job     runner.Job

	wanted atomic.Int64 // pieces of standard input that the worker asked for and did not get
	stdin  []byte       // read from the session and not yet sent; only grantStdin uses it

	mu   sync.Mutex // held while a frame is sent
	over bool
}

func newRun(ctx context.Context, s *Sandbox, job runner.Job, host runner.Host) *run {
	r := &run{sandbox: s, job: job}
	r.Session = session.New(ctx, s, job, host, session.Options{
		Log: s.log, Poll: limitPoll, LimitGrace: killGrace, Overrun: r.overrun,
		Cancel: r.sendCancel, CancelGrace: cancelGrace, MaxAnswer: MaxFrame,
	})
	return r
}

// overrun reports a worker that holds too much memory.
func (r *run) overrun() *toolscript.RunError {
	if proc.RSS(r.sandbox.PID()) > maxMemory {
		return scripterror.AnswersWait(maxMemory)
	}
	return nil
}

// run sends the job and waits for the end of the run.
func (r *run) run(ctx context.Context) (runner.Outcome, error) {
	switch err := r.sendJob(ctx); {
	case errors.Is(err, errFrameTooLong): // nothing was sent, and the worker is well
		return r.Outcome(toolscript.Fail(toolscript.TooLarge, fmt.Sprintf("the script and its arguments are too long: %v", err))), nil
	case err != nil && ctx.Err() != nil:
		return r.kill(r.Cancelled(ctx))
	case err != nil && r.WallOver():
		return r.kill(r.TimedOut())
	case err != nil:
		return r.lost(err)
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

// sendJob sends the worker its job. A worker that does not read it within the
// limits of the run is killed.
func (r *run) sendJob(ctx context.Context) error {
	sent := make(chan struct{})
	defer close(sent)
	r.Go(func() { r.killDeaf(ctx, sent) })
	return r.sandbox.begin(r.job)
}

func (r *run) killDeaf(ctx context.Context, sent <-chan struct{}) {
	wall := r.WallTimer()
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

// receive reads the frames of the worker until one ends the run. Output is passed
// on before the next frame is read: a host that does not take it holds the script
// up.
func (r *run) receive() {
	for {
		kind, payload, err := r.sandbox.link.read()
		if err == nil && kind == frameEnd {
			var outcome runner.Outcome
			if outcome, err = splitEnd(payload); err == nil && r.sandbox.link.more() {
				err = errors.New("it sent frames after the end of the script") // the next run would read that
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

func (r *run) handle(kind frameType, payload []byte) error {
	switch kind {
	case frameStdout:
		r.Write(runner.Stdout, string(payload))
	case frameStderr:
		r.Write(runner.Stderr, string(payload))
	case frameCall:
		return r.call(payload)
	case frameCancelCall:
		var header callHeader
		_, err := split(payload, &header)
		r.CancelCall(header.CallID)
		return err
	case frameWantStdin:
		if r.wanted.Add(1) == 1 {
			r.Go(r.grantStdin)
		}
	default:
		return fmt.Errorf("a sandbox sent message %d", kind)
	}
	return nil
}

func (r *run) call(payload []byte) error {
	var header callHeader
	args, err := split(payload, &header)
	if err != nil {
		return err
	}
	if _, err := strconv.ParseUint(header.CallID, 10, 32); err != nil { // engines number calls, and the record keeps the ids
		return fmt.Errorf("a sandbox sent %.20q as the id of a call", header.CallID)
	}
	return r.Call(runner.Call{CallID: header.CallID, ID: header.ID, Args: args, Task: header.Task}, len(payload), r.answer)
}

// answer sends the worker the answer of a call. A broken link shows where frames
// are read.
func (r *run) answer(a session.Answer) {
	_ = r.send(frameAnswer, answerHeader{CallID: a.CallID, Err: a.Failure}, a.Value)
}

// maxStdin is the largest piece of standard input that is sent at once.
const maxStdin = 1 << 20

// grantStdin sends pieces of standard input until the worker asks for no more.
func (r *run) grantStdin() {
	for {
		var header stdinHeader
		if len(r.stdin) == 0 {
			piece, err := r.ReadStdin(r.Context())
			if err != nil {
				header = stdinHeader{End: true, Err: err.Error()}
			} else {
				header.End = piece == nil
			}
			r.stdin = piece
		}
		piece := r.stdin[:min(len(r.stdin), maxStdin)]
		r.stdin = r.stdin[len(piece):]
		_ = r.send(frameStdin, header, piece) // a broken link shows where frames are read
		if r.wanted.Add(-1) == 0 {
			return
		}
	}
}

// sendCancel asks the worker to end its script.
func (r *run) sendCancel() { _ = r.send(frameCancel, nil, nil) }

// send sends a frame, unless the run is over: the next run would read it. A run
// that is cancelled gets no more answers: the cancellation itself causes some, and
// the script would continue or fail with them.
func (r *run) send(t frameType, header any, raw []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || t != frameCancel && r.Context().Err() != nil {
		return nil
	}
	return r.sandbox.link.writeJSON(t, header, raw)
}

// close ends the session. A worker that has ended the run but does not read is
// killed.
func (r *run) close() {
	r.Stop()
	killTimer := time.AfterFunc(session.GracePeriod, r.sandbox.Kill)
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	if !killTimer.Stop() {
		<-r.sandbox.done // a worker that ends must not seem free for the next run
	}
	r.Close()
}

// kill ends the run together with its worker.
func (r *run) kill(e *toolscript.RunError) (runner.Outcome, error) {
	r.sandbox.Kill()
	<-r.sandbox.done
	return r.Outcome(e), ErrKilled
}

// exitOverrun is the exit code of a worker that its own watchdog ended.
const exitOverrun = 3

// lost ends a run whose worker has ended or broke the protocol, or in which the
// gateway failed.
func (r *run) lost(cause error) (runner.Outcome, error) {
	s := r.sandbox
	err := cause
	switch {
	case errors.Is(cause, session.ErrPanic):
	case s.ended():
		err = fmt.Errorf("the sandbox ended in the middle of the script%s", s.exitReason())
	default:
		err = fmt.Errorf("the sandbox broke the protocol: %w", cause)
	}
	s.Kill()
	<-s.done
	if s.cmd.ProcessState.ExitCode() == exitOverrun {
		return r.Outcome(r.TimedOut()), ErrKilled
	}
	return r.Outcome(&toolscript.RunError{Name: "InternalError", Code: toolscript.Internal, Message: err.Error()}),
		&toolscript.Error{Kind: toolscript.Unavailable, Err: err}
}
