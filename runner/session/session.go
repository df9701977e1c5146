// Package session is the gateway's side of one script run, for all engines. It makes the tool
// calls of the script, passes on output and standard input, enforces the limits of the run,
// and recovers panics of the host. The engines differ only in how bytes travel between the
// session and the process of the sandbox.
package session

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// GracePeriod is how long the calls of a run may take to end after they have been
// cancelled, and how long a process may take to end after it was asked to.
const GracePeriod = 250 * time.Millisecond

// A Session is one run. Its methods are safe for concurrent use unless they say
// otherwise.
type Session struct {
	options Options
	process Process
	job     runner.Job
	host    runner.Host
	begun   time.Time
	cpu     time.Duration // processor time of the process when the run began

	ctx       context.Context // context of calls and of standard input; ends with the run
	cancel    context.CancelFunc
	arguments budget
	numbers   numbers // of calls; only Call uses it

	mu         sync.Mutex // guards over; held to add to goroutines, so that Close waits for all
	over       bool
	goroutines sync.WaitGroup // counts calls in flight and goroutines that use the host

	stdin sync.Mutex // held while the host reads standard input

	ended  chan runner.Outcome
	failed chan error
}

// New begins a session. The caller calls Wait and then Close.
func New(ctx context.Context, p Process, job runner.Job, host runner.Host, o Options) *Session {
	o.Log = o.Log.With(slog.String("run", job.RunID))
	s := &Session{
		options: o, process: p, job: job, host: host, begun: time.Now(), cpu: runner.CPUTime(p.PID()),
		arguments: newBudget(maxArguments), ended: make(chan runner.Outcome, 1), failed: make(chan error, 1),
	}
	s.ctx, s.cancel = context.WithCancel(ctx)
	context.AfterFunc(s.ctx, s.cancelCalls)
	return s
}

// Context returns a context that ends with the run.
func (s *Session) Context() context.Context { return s.ctx }

// Go runs f in a goroutine that Close waits for. A panic in f fails the session.
// After Close, Go does nothing.
func (s *Session) Go(f func()) {
	if !s.enter() {
		return
	}
	go func() {
		defer s.goroutines.Done()
		if err := Contain(s.options.Log, "run", f); err != nil {
			s.Fail(err)
		}
	}()
}

// enter counts a call or a goroutine that uses the host. It returns false after Close.
func (s *Session) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.goroutines.Add(1)
	}
	return !s.over
}

// End ends the session with the outcome that the sandbox reported. Only the first End and the
// first Fail count.
func (s *Session) End(o runner.Outcome) {
	select {
	case s.ended <- o:
	default:
	}
}

// Fail ends the session because the sandbox has ended or broke the protocol, or because the
// gateway failed.
func (s *Session) Fail(err error) {
	select {
	case s.failed <- err:
	default:
	}
}

// Wait waits for the end of the run. It returns the outcome of End, the reason why the caller
// must stop the run, or the error of Fail.
func (s *Session) Wait(ctx context.Context) (runner.Outcome, *toolscript.RunError, error) {
	wall := s.WallTimer()
	defer wall.Stop()
	poll := time.NewTicker(s.options.Poll)
	defer poll.Stop()
	stop, cancelled := ctx.Done(), (<-chan time.Time)(nil)
	for {
		select {
		case outcome := <-s.ended:
			return outcome, nil, nil
		case err := <-s.failed:
			return runner.Outcome{}, nil, err
		case <-stop:
			if s.options.Cancel == nil {
				return runner.Outcome{}, s.Cancelled(ctx), nil
			}
			stop, cancelled = nil, time.After(s.options.CancelGrace)
			s.Go(s.options.Cancel) // the process may not read: Cancel can block
		case <-cancelled:
			return runner.Outcome{}, s.Cancelled(ctx), nil
		case <-wall.C:
			if left := s.wallLeft() + s.options.LimitGrace; left > 0 { // the clock stood still meanwhile
				wall.Reset(max(left, s.options.Poll))
				continue
			}
			return runner.Outcome{}, scripterror.OutOfTime(s.job.Limits), nil
		case <-poll.C:
			if e := s.overrun(); e != nil {
				return runner.Outcome{}, e, nil
			}
		}
	}
}

// Close cancels the calls that are still in flight and waits for them, at most for
// GracePeriod. Calls that ignore their context are abandoned.
func (s *Session) Close() {
	s.cancel()
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.goroutines.Wait()
		close(done)
	}()
	timer := time.NewTimer(GracePeriod)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// Contain runs f. If f panics, Contain logs the cause with its stack and returns ErrPanic.
// Every goroutine on the gateway's side of a run is contained, because it handles input that
// a script may control.
func Contain(log *slog.Logger, doing string, f func()) (err error) {
	defer rescue.Catch(func(p *rescue.Error) { err = panicked(log, doing, p) })
	f()
	return nil
}
