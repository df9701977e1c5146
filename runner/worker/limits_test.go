package worker_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/test/fixture/pace"
)

// endlessScripts are scripts that never end. Most of them never reach a check of their
// limits by themselves.
var endlessScripts = map[string]string{
	"loop":       "for (;;);",
	"microtasks": "for (;;) await 0",
	"join":       "new Array(2 ** 32 - 1).join('')",
	"finally":    "for (;;) try { for (;;); } finally { continue }",
	"regex":      "/(a*)*b/.test('a'.repeat(40))",
	"waiting":    "await new Promise(() => { setInterval(() => {}, 10) })",
}

func TestTimeLimit(t *testing.T) {
	for name, code := range endlessScripts {
		t.Run(name, func(t *testing.T) {
			s := startSandbox(t)
			job := newJob(t, code)
			job.Limits.TimeoutMs = 200
			begun := time.Now()
			outcome, err := s.Run(t.Context(), job, &host{})
			if took := time.Since(begun); took > pace.Limit(10*time.Second) {
				t.Errorf("it took %s, want at most half a second", took)
			}
			if kindOf(outcome) != toolscript.LimitTime || outcome.ExitCode == 0 {
				t.Errorf("outcome = %+v, %v; want %s", outcome.Err, err, toolscript.LimitTime)
			}
			if err == nil {
				sandboxRun(t, s, "return 1", &host{})
			} else if !errors.Is(err, worker.ErrKilled) {
				t.Errorf("Run = %v, want nil or %v", err, worker.ErrKilled)
			}
		})
	}
}

func TestCPULimit(t *testing.T) {
	s := startSandbox(t)
	job := newJob(t, "for (;;);")
	job.Limits.CPUMs = 100
	outcome, err := s.Run(t.Context(), job, &host{})
	if kindOf(outcome) != toolscript.LimitTime {
		t.Errorf("outcome = %+v, %v; want %s", outcome.Err, err, toolscript.LimitTime)
	}
}

// TestLoopsDoNotStopTheGateway checks that endless scripts do not stop the gateway,
// which is the reason for worker processes: compiled WebAssembly has no safe points
// for Go's garbage collector, so in a shared process one such loop would stop every
// goroutine at the next collection.
func TestLoopsDoNotStopTheGateway(t *testing.T) {
	for _, name := range []string{"loop", "join"} {
		t.Run(name, func(t *testing.T) {
			stop := make(chan struct{})
			var collector sync.WaitGroup
			collector.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						runtime.GC()
					}
				}
			})
			var runs sync.WaitGroup
			for range runtime.GOMAXPROCS(0) + 1 {
				runs.Go(func() {
					s, err := worker.StartSandbox(t.Context(), worker.Options{CacheDir: cacheDir})
					if err != nil {
						t.Error(err)
						return
					}
					defer s.Close()
					job := newJob(t, endlessScripts[name])
					job.Limits.TimeoutMs = 300
					outcome, err := s.Run(t.Context(), job, &host{})
					if kindOf(outcome) != toolscript.LimitTime {
						t.Errorf("outcome = %+v, %v; want %s", outcome.Err, err, toolscript.LimitTime)
					}
				})
			}
			runs.Wait()
			close(stop)
			collector.Wait()
		})
	}
}
