package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/worker"
)

// bigCalls makes 18 calls of 4 MB each at once.
const bigCalls = `
const text = "x".repeat(4 << 20);
const all = Array.from({ length: 18 }, () => tools.demo.echo({ text }));
`

// slowHost holds every call until release is closed, and counts the bytes of the
// arguments.
type slowHost struct {
	release chan struct{}
	full    chan struct{} // receives a token when fullAt bytes are held

	held, most atomic.Int64
}

// fullAt is the number of bytes of 4 MB arguments that fit into 64 MB, minus one call for the headers.
const fullAt = 15 * 4 << 20

func newSlowHost() *slowHost {
	return &slowHost{release: make(chan struct{}), full: make(chan struct{}, 1)}
}

func (s *slowHost) host() *host { return &host{call: s.call} }

func (s *slowHost) call(ctx context.Context, c runner.Call) (json.RawMessage, *toolscript.ToolError) {
	now := s.held.Add(int64(len(c.Args)))
	defer s.held.Add(-int64(len(c.Args)))
	for most := s.most.Load(); now > most && !s.most.CompareAndSwap(most, now); most = s.most.Load() {
	}
	if now >= fullAt {
		select {
		case s.full <- struct{}{}:
		default:
		}
	}
	select {
	case <-s.release:
		return json.RawMessage("1"), nil
	case <-ctx.Done():
		return nil, &toolscript.ToolError{Tool: c.ID, Code: toolscript.Cancelled}
	}
}

// bigJob returns a job that can make all its calls at once.
func bigJob(tb testing.TB, code string) runner.Job {
	tb.Helper()
	job := newJob(tb, bigCalls+code)
	job.Limits.Concurrency = 100
	job.Limits.TimeoutMs, job.Limits.CPUMs = 120_000, 120_000 // copying 72 MB may be slow
	return job
}

// TestArgumentsAreBounded runs a script whose calls exceed the limit of a run for their arguments.
// The script continues as calls end.
func TestArgumentsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	s, slow := startSandbox(t), newSlowHost()
	go func() {
		<-slow.full
		close(slow.release)
	}()
	outcome, err := s.Run(t.Context(), bigJob(t, "return (await Promise.all(all)).length"), slow.host())
	if err != nil || string(outcome.Value) != "18" {
		t.Errorf("value = %s, %+v, %v; want 18", outcome.Value, outcome.Err, err)
	}
	if most := slow.most.Load(); most > 64<<20 {
		t.Errorf("%d MB of arguments were held at once, want 64 at most", most>>20)
	}
}

// TestUnreadAnswersAreBounded runs a script that makes calls and then computes without end while
// their answers arrive.
func TestUnreadAnswersAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	answer, err := json.Marshal(strings.Repeat("x", 30<<20))
	if err != nil {
		t.Fatal(err)
	}
	job := newJob(t, `for (let i = 0; i < 100; i++) tools.demo.echo({}).catch(() => {}); for (;;);`)
	job.Limits.Concurrency, job.Limits.TimeoutMs, job.Limits.CPUMs = 100, 120_000, 120_000
	outcome, err := startSandbox(t).Run(t.Context(), job, &host{
		call: func(context.Context, runner.Call) (json.RawMessage, *toolscript.ToolError) { return answer, nil },
	})
	if kindOf(outcome) != toolscript.LimitMemory || !errors.Is(err, worker.ErrKilled) {
		t.Errorf("outcome = %+v, %v; want %s and %v", outcome.Err, err, toolscript.LimitMemory, worker.ErrKilled)
	}
}

// TestRunWithAllCallsInFlightEnds reaches the limit of a run with calls that never end. Every way to
// end the run must still work.
func TestRunWithAllCallsInFlightEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	for name, test := range map[string]struct {
		end  func(s *worker.Sandbox, cancel context.CancelFunc)
		ms   int64 // time limit of the run; 0 keeps the default
		want toolscript.Kind
	}{
		"cancelled":   {func(_ *worker.Sandbox, cancel context.CancelFunc) { cancel() }, 0, toolscript.Cancelled},
		"killed":      {func(s *worker.Sandbox, _ context.CancelFunc) { s.Kill() }, 0, toolscript.Internal},
		"out of time": {func(*worker.Sandbox, context.CancelFunc) {}, 2_000, toolscript.LimitTime},
	} {
		t.Run(name, func(t *testing.T) {
			s, slow := startSandbox(t), newSlowHost()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				select {
				case <-slow.full:
					test.end(s, cancel)
				case <-ctx.Done():
				}
			}()
			job := bigJob(t, "await Promise.all(all)")
			if test.ms > 0 {
				job.Limits.TimeoutMs = test.ms
			}
			outcome, err := s.Run(ctx, job, slow.host())
			if kindOf(outcome) != test.want {
				t.Errorf("outcome = %+v, %v; want %s", outcome.Err, err, test.want)
			}
			if err != nil && test.want != toolscript.Internal && !errors.Is(err, worker.ErrKilled) {
				t.Errorf("Run = %v, want nil or %v", err, worker.ErrKilled)
			}
		})
	}
}
