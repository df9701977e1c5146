package worker_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/worker"
)

// TestWallsOfTime takes the engine's limits away, and then the watchdog too: the
// next wall ends the script with the same error, and its worker with it.
func TestWallsOfTime(t *testing.T) {
	for _, test := range []struct{ name, command, code string }{
		{"watchdog, of a loop", watchedCommand, "for (;;);"},
		{"watchdog, of native code", watchedCommand, "new Array(2 ** 32 - 1).join('')"},
		{"SIGKILL, of a loop", unlimitedCommand, "for (;;);"},
		{"SIGKILL, of native code", unlimitedCommand, "new Array(2 ** 32 - 1).join('')"},
	} {
		for _, limits := range []toolscript.Limits{{TimeoutMs: 200}, {CPUMs: 200}} {
			t.Run(test.name, func(t *testing.T) {
				s, err := worker.StartSandbox(t.Context(), worker.Options{Args: []string{test.command}, CacheDir: cacheDir})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(s.Close)
				job := newJob(t, test.code)
				job.Limits = limits
				outcome, err := s.Run(t.Context(), job, &host{})
				if !errors.Is(err, worker.ErrKilled) || kindOf(outcome) != toolscript.LimitTime || !strings.Contains(outcome.Err.Message, "killed") {
					t.Errorf("Run = %+v, %v; want %s and %v", outcome.Err, err, toolscript.LimitTime, worker.ErrKilled)
				}
				<-s.Done()
				watched := test.command == watchedCommand
				if code := s.ExitCode(); watched != (code == worker.ExitOverrun) {
					t.Errorf("the worker ended with code %d; its own watchdog ends it: want %t", code, watched)
				}
			})
		}
	}
}
