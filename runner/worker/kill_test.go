package worker_test

import (
	"errors"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/worker"
)

// TestLimitsOfTimeInDepth disables the engine's time limits, and then also the watchdog. The next
// layer ends the script with the same error, and the worker ends with the script.
func TestLimitsOfTimeInDepth(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	for _, test := range []struct{ name, command, code string }{
		{"watchdog, of a loop", watchedCommand, "for (;;);"},
		{"watchdog, of native code", watchedCommand, "new Array(2 ** 32 - 1).join('')"},
		{"SIGKILL, of a loop", unlimitedCommand, "for (;;);"},
		{"SIGKILL, of native code", unlimitedCommand, "new Array(2 ** 32 - 1).join('')"},
	} {
		for _, limits := range []toolscript.Limits{{TimeoutMs: 200}, {CPUMs: 200}} {
			t.Run(test.name, func(t *testing.T) {
				want := -1 // ended by a signal
				if test.command == watchedCommand {
					want = worker.ExitOverrun
				}
				for range 5 { // on a busy machine the gateway may act before the watchdog
					code := killedWith(t, test.command, test.code, limits)
					if code == want {
						return
					}
					if code != -1 {
						t.Fatalf("the worker ended with code %d, want %d", code, want)
					}
				}
				t.Error("the watchdog was never the first")
			})
		}
	}
}

// killedWith runs code until its worker is killed, and returns the worker's exit
// code.
func killedWith(t *testing.T, command, code string, limits toolscript.Limits) int {
	t.Helper()
	s, err := worker.StartSandbox(t.Context(), worker.Options{Args: []string{command}, CacheDir: cacheDir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	job := newJob(t, code)
	job.Limits = limits
	outcome, err := s.Run(t.Context(), job, &host{})
	if !errors.Is(err, worker.ErrKilled) || kindOf(outcome) != toolscript.LimitTime {
		t.Errorf("Run = %+v, %v; want %s and %v", outcome.Err, err, toolscript.LimitTime, worker.ErrKilled)
	}
	<-s.Done()
	return s.ExitCode()
}
