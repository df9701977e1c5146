package worker_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/worker"
)

func TestCheckerCompiles(t *testing.T) {
	c := startChecker(t)
	compiled, found, err := c.Compile(t.Context(), runner.Source{Code: "const n: number = 1; return n"})
	if err != nil || len(found) > 0 || !strings.Contains(compiled.JavaScript, "const n = 1") {
		t.Errorf("Compile = %+v, %+v, %v", compiled, found, err)
	}
	_, found, err = c.Compile(t.Context(), runner.Source{Code: "const = 1", File: "a.ts"})
	if err != nil || len(found) == 0 || found[0].File != "a.ts" || found[0].Column != 7 {
		t.Errorf("Compile of a mistake = %+v, %v; want a diagnostic at a.ts:1:7", found, err)
	}
}

func alive(t *testing.T, c *worker.Checker) {
	t.Helper()
	select {
	case <-c.Done():
		t.Error("the checker has ended")
	default:
	}
}

// TestOneLimitForAllSteps checks that the type check may use only the work and the time that compiling
// has left of the script's limit.
func TestOneLimitForAllSteps(t *testing.T) {
	for want, spent := range map[string]runner.Usage{
		" 1.8s;": {Work: worker.SourceLimit.Work},
		" 9s;":   {Wall: worker.SourceLimit.Wall},
	} {
		c := startChecker(t)
		found, err := c.Check(t.Context(), runner.TypeCheck{Source: runner.Source{Code: hostile["arrays 500 deep"].code}, Spent: spent, Module: demo})
		if err != nil || len(found) != 1 || !strings.Contains(found[0].Message, want) {
			t.Errorf("with %+v spent: %q, %v; want %q", spent, lines(found), err, want)
		}
		if worked := c.Spent(); worked.Work >= worker.SourceLimit.Work {
			t.Errorf("with %+v spent the checker has worked for another %s", spent, worked.Work)
		}
	}
}

// TestCheckerEndsWithCtx cancels the context while the compiler is busy, and before
// the compiler starts.
func TestCheckerEndsWithCtx(t *testing.T) {
	busy, cancelBusy := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancelBusy()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, ctx := range map[string]context.Context{"busy": busy, "ended": ended} {
		t.Run(name, func(t *testing.T) {
			c := startChecker(t)
			_, _, err := c.Compile(ctx, runner.Source{Code: asyncCalls})
			if !errors.Is(err, context.Cause(ctx)) || err == nil {
				t.Errorf("Compile = %v, want the cause of its ctx", err)
			}
			<-c.Done()
			_, _, err = c.Compile(t.Context(), runner.Source{Code: "1"})
			if toolscript.KindOf(err) != toolscript.Unavailable {
				t.Errorf("Compile on a dead checker = %v, want kind %s", err, toolscript.Unavailable)
			}
		})
	}
}

func TestStartFails(t *testing.T) {
	for name, o := range map[string]worker.Options{
		"no such program":             {Executable: "/nonexistent"},
		"a program that is no worker": {Executable: "/bin/true"},
	} {
		_, err := worker.StartChecker(t.Context(), o)
		if toolscript.KindOf(err) != toolscript.Unavailable {
			t.Errorf("%s: StartChecker = %v, want kind %s", name, err, toolscript.Unavailable)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := worker.StartChecker(ctx, worker.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("StartChecker with an ended ctx = %v, want %v", err, context.Canceled)
	}
}

func TestMainByHand(t *testing.T) {
	if code := worker.Main(nil); code == 0 {
		t.Error("Main without arguments succeeded")
	}
}
