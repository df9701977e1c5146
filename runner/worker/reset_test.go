package worker_test

import (
	"errors"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/test/fixture/pace"
)

// killed are scripts that try to outlive their limits where an engine is hard to stop: in native
// code, in block operations, and in code that catches errors.
var killed = []struct {
	name, code string
	kind       toolscript.Kind
}{
	{"loop", "for (;;);", toolscript.LimitTime},
	{"microtasks", "const f = () => Promise.resolve().then(f); await f()", toolscript.LimitTime},
	{"finally", "for (;;) try { for (;;); } finally { continue }", toolscript.LimitTime},
	{"join", "new Array(2 ** 32 - 1).join('')", toolscript.LimitTime},
	{"quadratic indexOf", "'a'.repeat(4e6).indexOf('a'.repeat(2e6) + 'b')", toolscript.LimitTime},
	{"late deep stringify", "let a: any = []; for (let i = 0; i < 300; i++) a = [a, a.slice(0, 1)]; for (;;) JSON.stringify(a)", toolscript.LimitTime},
	{"stringify of endless breadth", "const o: any = {}; for (let i = 0; i < 2e5; i++) o['k' + i] = 'v'; for (;;) JSON.stringify(o)", toolscript.LimitTime},
	{"regex", "/(a*)*b/.test('a'.repeat(40))", toolscript.LimitTime},
	{"fill over 60 MB", "const u = new Uint8Array(60e6); for (;;) u.fill(1)", toolscript.LimitTime},
	{"copyWithin over 60 MB", "const u = new Uint8Array(60e6); for (;;) u.copyWithin(0, 1)", toolscript.LimitTime},
	{"deep recursion", "const f = (n: number): number => f(n + 1) + 1; f(0)", toolscript.LimitStack},
	{"array growth", "const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))", toolscript.LimitMemory},
	{"nothing but waiting", "await new Promise(() => { setInterval(() => {}, 10) })", toolscript.LimitTime},
}

// TestStoppedScriptKeepsItsWorker checks that the error has the right kind, that the same process
// runs the next script with clean state, and that the process is idle afterwards.
func TestStoppedScriptKeepsItsWorker(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	for _, k := range killed {
		t.Run(k.name, func(t *testing.T) {
			job := newJob(t, k.code)
			job.Limits.TimeoutMs, job.Limits.MemoryMB = 250, 96
			if k.kind != toolscript.LimitTime {
				job.Limits.TimeoutMs = 10_000 // the other limit applies first
			}
			s := survives(t, job, k.kind)
			pid := s.PID()
			again := sandboxRun(t, s, "return 6 * 7", &host{})
			if string(again.Value) != "42" || s.PID() != pid {
				t.Errorf("the next script in process %d gave %s, %+v; want 42 in %d", s.PID(), again.Value, again.Err, pid)
			}
			wantIdle(t, pid)
		})
	}
}

// survives runs a job that does not end, and returns the sandbox in which the engine itself ended
// the job. On a busy machine the watchdog or the gateway may act before the engine; the job then
// runs again in a new sandbox.
func survives(t *testing.T, job runner.Job, want toolscript.Kind) *worker.Sandbox {
	t.Helper()
	for range 5 {
		s := startSandbox(t)
		begun := time.Now()
		outcome, err := s.Run(t.Context(), job, &host{})
		took := time.Since(begun)
		if kindOf(outcome) != want || outcome.ExitCode == 0 {
			t.Errorf("outcome = %+v, want %s", outcome.Err, want)
		}
		if err == nil {
			t.Logf("%s after %v", kindOf(outcome), took)
			return s
		}
		if !errors.Is(err, worker.ErrKilled) {
			t.Fatalf("Run = %v, want nil or %v", err, worker.ErrKilled)
		}
		t.Logf("killed after %v", took)
	}
	t.Fatal("the worker was killed five times")
	return nil
}

// wantIdle waits until a process uses no processor time.
func wantIdle(t *testing.T, pid int) {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond) // at least ten ticks of the processor clock
	defer tick.Stop()
	enough := time.After(pace.Limit(10 * time.Second))
	for last := time.Duration(-1); ; {
		now := worker.CPUTime(pid)
		if now == last {
			return
		}
		last = now
		select {
		case <-tick.C:
		case <-enough:
			t.Fatalf("process %d still computes: %v of processor time", pid, now)
		}
	}
}
