// Package session is the gateway's side of one script run, whatever engine runs
// the script. It makes the tool calls of the script, passes output and standard
// input on, holds the run to its limits, and contains panics of the host. The
// engines differ only in how bytes travel between the session and the process of
// the sandbox.
package session

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/internal/proc"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// GracePeriod is how long the calls of a run may take to end after they have been
// cancelled, and how long a process may take to end after it was asked to.
const GracePeriod = 250 * time.Millisecond

// Process is the process of a sandbox.
type Process interface {
	PID() int
	Done() <-chan struct{} // closed when the process has ended
}

// Options describe the engine of a session.
type Options struct {
	Log *slog.Logger

	// Poll is how often the session reads the processor time and the memory of the
	// process.
	Poll time.Duration
	// LimitGrace is how much longer than its limits of time a script may run before
	// the session stops it. Engines that keep the limits themselves need some.
	LimitGrace time.Duration
	// Overrun reports the limits of the engine's own, such as memory, that the
	// process exceeds at present. It is called every Poll.
	Overrun func() *toolscript.RunError
	// Cancel asks the process to end its script when the context of the run ends. The
	// process has CancelGrace to do so. A nil Cancel stops the run at once.
	Cancel      func()
	CancelGrace time.Duration
	// MaxAnswer bounds an answer of a tool, in bytes.
	MaxAnswer int
	// Deliver passes an answer on without blocking. rest, if not nil, does what is left
	// of that and may block: a goroutine of the session calls it.
	Deliver func(Answer) (rest func())
}

// A Session is one run. Its methods are safe for concurrent use unless they say
// otherwise.
type Session struct {
	options Options
	process Process
	job     runner.Job
	host    runner.Host
	begun   time.Time
	cpu     time.Duration // processor time of the process when the run began

	ctx       context.Context // of calls and of standard input; ends with the run
	cancel    context.CancelFunc
	arguments budget

	mu         sync.Mutex // guards over and calls, and goroutines against Wait
	over       bool
	calls      map[string]*call // in flight, by id
	goroutines sync.WaitGroup   // calls in flight, and goroutines that use the host

	stdin sync.Mutex // held while the host reads standard input

	ended  chan runner.Outcome
	failed chan error
}

// New begins a session. The caller calls Wait and then Close.
func New(ctx context.Context, p Process, job runner.Job, host runner.Host, o Options) *Session {
	o.Log = o.Log.With(slog.String("run", job.RunID))
	s := &Session{
		options: o, process: p, job: job, host: host, begun: time.Now(), cpu: proc.CPUTime(p.PID()),
		arguments: newBudget(maxArguments), calls: map[string]*call{}, ended: make(chan runner.Outcome, 1), failed: make(chan error, 1),
	}
	s.ctx, s.cancel = context.WithCancel(ctx)
	context.AfterFunc(s.ctx, s.cancelCalls)
	return s
}

// Context ends with the run.
func (s *Session) Context() context.Context { return s.ctx }

// Elapsed is the time since the session began.
func (s *Session) Elapsed() time.Duration { return time.Since(s.begun) }

// CPU is the processor time that the process had used when the session began.
func (s *Session) CPU() time.Duration { return s.cpu }

// Go runs f in a goroutine that Close waits for. A panic in f fails the session.
// After Close, Go does nothing.
func (s *Session) Go(f func()) {
	leave, ok := s.enter()
	if !ok {
		return
	}
	go func() {
		defer leave()
		if err := Contain(s.options.Log, "run", f); err != nil {
			s.Fail(err)
		}
	}()
}

// enter registers a goroutine that uses the host, until leave is called. It
// reports false after Close.
func (s *Session) enter() (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil, false
	}
	s.goroutines.Add(1)
	return s.goroutines.Done, true
}

// End ends the session with what the sandbox reports. The first End or Fail
// counts.
func (s *Session) End(o runner.Outcome) {
	select {
	case s.ended <- o:
	default:
	}
}

// Fail ends the session because the sandbox is lost, broke its protocol, or
// because the gateway failed.
func (s *Session) Fail(err error) {
	select {
	case s.failed <- err:
	default:
	}
}

// Wait waits for the end of the run. It returns the outcome that the sandbox
// reported, or the reason why the session must stop the run, or the error of Fail.
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

// Stop cancels the calls of the run and the read of standard input.
func (s *Session) Stop() { s.cancel() }

// Close cancels the calls that the script left behind and waits for them, up to
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

// Contain runs f. A panic in f is logged with its stack, and is ErrPanic for the
// caller. Every goroutine on the gateway's side of a run is contained, because it
// handles input that a script may control.
func Contain(log *slog.Logger, doing string, f func()) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = panicked(log, doing, cause)
		}
	}()
	f()
	return nil
}
