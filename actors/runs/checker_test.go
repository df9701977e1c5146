package runs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/runner"
)

// counted is a checker that counts its checks and returns the same findings each time.
type counted struct {
	compiler
	checks *atomic.Int64
	found  []toolscript.Diagnostic
	err    error
}

func (c counted) Check(context.Context, runner.TypeCheck) ([]toolscript.Diagnostic, error) {
	c.checks.Add(1)
	return c.found, c.err
}

// withChecker runs test with a checker that returns found and err.
func withChecker(t *testing.T, found []toolscript.Diagnostic, err error, test func(b *bench, checks *atomic.Int64)) {
	t.Helper()
	var checks atomic.Int64
	ran := func(context.Context, runner.Job, runner.Host) (runner.Outcome, error) {
		return runner.Outcome{Value: []byte("1")}, nil
	}
	withRuns(t, ran, func(d *runs.Deps) {
		lend := d.Checker
		d.Checker = func(ctx context.Context) (runs.Checker, runs.GiveBack, error) {
			c, giveBack, failed := lend(ctx)
			return counted{c.(compiler), &checks, found, err}, giveBack, failed
		}
	}, func(b *bench) { test(b, &checks) })
}

var wrong = []toolscript.Diagnostic{
	{File: "script.ts", Line: 1, Column: 7, Code: "TS2322", Message: "not assignable"},
	{File: "script.ts", Line: 2, Column: 1, Code: "TS2304", Message: "no such name"},
}

func TestCheckModes(t *testing.T) {
	for mode, want := range map[string]struct {
		ok     bool
		found  int
		checks int64
	}{
		"":                    {false, 2, 1},
		toolscript.CheckError: {false, 2, 1},
		toolscript.CheckWarn:  {true, 2, 1},
		toolscript.CheckOff:   {true, 0, 0},
	} {
		withChecker(t, wrong, nil, func(b *bench, checks *atomic.Int64) {
			end := b.exec(toolscript.ExecRequest{Code: "x", Rules: toolscript.Rules{Check: mode}})
			reported := 0
			for _, e := range b.events {
				if e.Type == toolscript.EventDiagnostic {
					reported++
				}
			}
			if *end.OK != want.ok || reported != want.found || checks.Load() != want.checks {
				t.Errorf("mode %q: ok %t, %d findings, %d checks; want %+v", mode, *end.OK, reported, checks.Load(), want)
			}
			if !want.ok && (end.Kind != toolscript.CheckFailed || end.Error.Phase != toolscript.Checking) {
				t.Errorf("mode %q: kind %s in phase %s", mode, end.Kind, end.Error.Phase)
			}
		})
	}
}

// TestCheckedTextsAreCached: a text is checked once. Findings that may differ next time are not
// cached.
func TestCheckedTextsAreCached(t *testing.T) {
	for name, test := range map[string]struct {
		found  []toolscript.Diagnostic
		checks int64
		cached []string
	}{
		"right":  {nil, 1, []string{"compiled", "checked"}},
		"wrong":  {wrong, 1, []string{"compiled", "checked"}},
		"killed": {[]toolscript.Diagnostic{{Code: runner.CodeLimit}}, 2, []string{"compiled"}},
	} {
		withChecker(t, test.found, nil, func(b *bench, checks *atomic.Int64) {
			b.exec(toolscript.ExecRequest{Code: "x"})
			b.events = nil
			end := b.exec(toolscript.ExecRequest{Code: "x"})
			if checks.Load() != test.checks || !slices.Equal(end.Metrics.Cached, test.cached) {
				t.Errorf("%s: %d checks, cached %q; want %d, %q", name, checks.Load(), end.Metrics.Cached, test.checks, test.cached)
			}
		})
	}
}

// TestCacheOfCheckedTextsIsBounded: the cache keeps the texts that were used last.
func TestCacheOfCheckedTextsIsBounded(t *testing.T) {
	withChecker(t, nil, nil, func(b *bench, checks *atomic.Int64) {
		run := func(n int) {
			b.events = nil
			b.exec(toolscript.ExecRequest{Code: fmt.Sprint(n)})
		}
		for n := range 1001 {
			run(n)
		}
		for _, n := range []int{1000, 1, 0} {
			run(n)
		}
		if got := checks.Load(); got != 1002 { // the first text alone was forgotten
			t.Errorf("%d checks of 1001 texts, want 1002", got)
		}
	})
}

// failingChecker is a checker that is lost this many times.
type failingChecker struct {
	compiler
	left *atomic.Int64
}

func (m failingChecker) Compile(ctx context.Context, s runner.Source) (runner.Compiled, []toolscript.Diagnostic, error) {
	if m.left.Add(-1) >= 0 {
		return runner.Compiled{}, nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("the script worker has ended")}
	}
	return m.compiler.Compile(ctx, s)
}

// TestLostCheckers: a run whose checker was killed uses a second one, and no third one.
func TestLostCheckers(t *testing.T) {
	ran := func(context.Context, runner.Job, runner.Host) (runner.Outcome, error) {
		return runner.Outcome{Value: []byte("1")}, nil
	}
	for lost, ok := range map[int64]bool{0: true, 1: true, 2: false} {
		var left atomic.Int64
		left.Store(lost)
		withRuns(t, ran, func(d *runs.Deps) {
			lend := d.Checker
			d.Checker = func(ctx context.Context) (runs.Checker, runs.GiveBack, error) {
				c, giveBack, err := lend(ctx)
				return failingChecker{c.(compiler), &left}, giveBack, err
			}
		}, func(b *bench) {
			end := b.exec(toolscript.ExecRequest{Code: "x"})
			if *end.OK != ok || !ok && end.Kind != toolscript.Unavailable || b.broken.Load() != lost {
				t.Errorf("%d checkers lost: ok %t, %s, %d given back as broken", lost, *end.OK, end.Kind, b.broken.Load())
			}
		})
	}
}

// waiting is a checker that compiles until its context ends.
type waiting struct{ compiler }

func (waiting) Compile(ctx context.Context, _ runner.Source) (runner.Compiled, []toolscript.Diagnostic, error) {
	<-ctx.Done()
	return runner.Compiled{}, nil, context.Cause(ctx)
}

// TestInterruptedInTheChecker: a run whose context ends before the script runs has the
// kind cancelled, whatever the cause.
func TestInterruptedInTheChecker(t *testing.T) {
	withRuns(t, nil, func(d *runs.Deps) {
		lend := d.Checker
		d.Checker = func(ctx context.Context) (runs.Checker, runs.GiveBack, error) {
			c, giveBack, err := lend(ctx)
			return waiting{c.(compiler)}, giveBack, err
		}
	}, func(b *bench) {
		ctx, interrupt := context.WithCancelCause(b.t.Context())
		h := b.begin(ctx, toolscript.ExecRequest{Code: "x"}, b.emit)
		synctest.Wait()
		interrupt(errors.New("ended by signal: interrupt"))
		<-h.Done
		if e := b.record(h.ID).Error; e == nil || e.Code != toolscript.Cancelled || e.Phase != toolscript.Parsing || e.Message != "ended by signal: interrupt" {
			b.t.Errorf("error = %+v, want a cancelled one with the cause as its message", e)
		}
	})
}

// Before a script is refused, the lists of the servers that it names are read, and it is checked
// once more if one was read.
func TestAScriptIsCheckedAgainWithNewLists(t *testing.T) {
	for read, want := range map[bool]int64{false: 1, true: 2} {
		var checks atomic.Int64
		var asked []string
		ran := func(context.Context, runner.Job, runner.Host) (runner.Outcome, error) {
			return runner.Outcome{Value: []byte("1")}, nil
		}
		withRuns(t, ran, func(d *runs.Deps) {
			lend, types := d.Checker, d.Types
			d.Checker = func(ctx context.Context) (runs.Checker, runs.GiveBack, error) {
				c, giveBack, failed := lend(ctx)
				found := wrong
				if checks.Load() > 0 {
					found = nil
				}
				return counted{c.(compiler), &checks, found, nil}, giveBack, failed
			}
			d.Types = func(ctx context.Context, uses runner.Uses) (runner.Declarations, error) {
				declared, err := types(ctx, uses)
				declared.Key += fmt.Sprint(len(asked))
				return declared, err
			}
			d.Reread = func(_ context.Context, names toolscript.Filter) bool {
				asked = append(asked, names...)
				asked = append(asked, "asked")
				return read
			}
		}, func(b *bench) {
			end := b.exec(toolscript.ExecRequest{Code: "x"})
			if *end.OK != read || checks.Load() != want || len(asked) == 0 {
				t.Errorf("lists read: %t: ok %t after %d checks, %q", read, *end.OK, checks.Load(), asked)
			}
		})
	}
}
