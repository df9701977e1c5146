package runs_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/runner"
)

// uses has a checker that finds these uses of servers, and this mistake of types.
func uses(d *runs.Deps, u runner.Uses, found ...toolscript.Diagnostic) {
	d.Checker = func(context.Context) (runs.Checker, runs.GiveBack, error) {
		return checked{compiler(func(s runner.Source) (runner.Compiled, []toolscript.Diagnostic, error) {
			return runner.Compiled{JavaScript: s.Code, Uses: u}, nil, nil
		}), found}, func(bool) {}, nil
	}
}

type checked struct {
	compiler
	found []toolscript.Diagnostic
}

func (c checked) Check(context.Context, runner.TypeCheck) ([]toolscript.Diagnostic, error) {
	return c.found, nil
}

// hangs is a server whose start does not end.
func hangs(ctx context.Context, _ toolscript.Filter) { <-ctx.Done() }

// TestTimeLimitIncludesWaits: the time that a run waits for servers is part of its limit.
func TestTimeLimitIncludesWaits(t *testing.T) {
	for name, test := range map[string]struct {
		await func(context.Context, toolscript.Filter)
		left  int64 // time limit that the sandbox gets, of the 5 s of the run
		took  time.Duration
		text  string
	}{
		"a server hangs":        {await: hangs, took: 5 * time.Second, text: "limit of 5000 ms was over before demo had connected"},
		"a server takes 3 of 5": {await: func(context.Context, toolscript.Filter) { time.Sleep(3 * time.Second) }, left: 2000, took: 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			var left int64
			script := func(_ context.Context, job runner.Job, _ runner.Host) (runner.Outcome, error) {
				left = job.Limits.TimeoutMs
				return runner.Outcome{Value: []byte("1")}, nil
			}
			withRuns(t, script, func(d *runs.Deps) {
				waited := false
				d.ConnectTime = 30 * time.Second
				d.Unlisted = func(f toolscript.Filter) toolscript.Filter { return f }
				d.Await = func(ctx context.Context, f toolscript.Filter) {
					if !waited { // afterwards, the server is connected
						test.await(ctx, f)
					}
					waited = true
				}
			}, func(b *bench) {
				began := time.Now()
				end := b.exec(toolscript.ExecRequest{Limits: toolscript.Limits{TimeoutMs: 5000}})
				if took := time.Since(began); took != test.took || left != test.left {
					b.t.Errorf("took %s and left the script %d ms, want %s and %d ms", took, left, test.took, test.left)
				}
				switch failed := end.Error; {
				case test.text == "" && failed != nil:
					b.t.Errorf("failed: %v", failed)
				case test.text != "" && (failed == nil || end.Kind != toolscript.LimitTime || !strings.Contains(failed.Message, test.text)):
					b.t.Errorf("end = %s %+v, want %q", end.Kind, failed, test.text)
				}
			})
		})
	}
}

// TestTypesBeforeServers: a mistake of types is reported without a wait for servers whose types
// are known.
func TestTypesBeforeServers(t *testing.T) {
	withRuns(t, callTwice, func(d *runs.Deps) {
		d.ConnectTime = 30 * time.Second
		d.Unlisted = func(toolscript.Filter) toolscript.Filter { return nil }
		d.Await = func(_ context.Context, f toolscript.Filter) { t.Errorf("waits for %s", f) }
		uses(d, runner.Uses{Servers: []string{"demo"}}, toolscript.Diagnostic{File: "script.ts", Line: 1, Column: 1, Message: "a mistake"})
	}, func(b *bench) {
		if end := b.exec(toolscript.ExecRequest{}); end.Kind != toolscript.CheckFailed {
			b.t.Errorf("end = %s %+v", end.Kind, end.Error)
		}
	})
}

// TestNamedServerWithoutTools: a script that names a server whose tools are still not known after
// the wait runs, and a warning says so.
func TestNamedServerWithoutTools(t *testing.T) {
	withRuns(t, callTwice, func(d *runs.Deps) {
		d.ConnectTime = 2 * time.Second
		d.Unlisted = func(f toolscript.Filter) toolscript.Filter { return f }
		d.Await = hangs
		uses(d, runner.Uses{Servers: []string{"demo"}})
	}, func(b *bench) {
		b.exec(toolscript.ExecRequest{})
		said := slices.ContainsFunc(b.events, func(e toolscript.Event) bool {
			return strings.HasPrefix(e.Message, "warning: the tools of these servers are not known yet") && strings.Contains(e.Message, ": demo;")
		})
		if !said {
			b.t.Errorf("no warning in %v", b.events)
		}
	})
}

// TestComputedNames: a script that does not name its servers waits shortly for those whose tools
// are not known, and a warning names those that it does not see.
func TestComputedNames(t *testing.T) {
	withRuns(t, callTwice, func(d *runs.Deps) {
		d.ConnectTime, d.ListTime = 30*time.Second, 3*time.Second
		d.Unlisted = func(f toolscript.Filter) toolscript.Filter {
			if f != nil {
				t.Errorf("asks for %s", f)
			}
			return toolscript.Filter{"slow"}
		}
		d.Await = hangs
		uses(d, runner.Uses{All: true})
	}, func(b *bench) {
		began := time.Now()
		end := b.exec(toolscript.ExecRequest{})
		if took := time.Since(began); took != 3*time.Second || !*end.OK {
			b.t.Errorf("took %s and ended with %+v, want 3s and success", took, end.Error)
		}
		var said []string
		for _, e := range b.events {
			if strings.HasPrefix(e.Message, "warning: ") {
				said = append(said, e.Message)
			}
		}
		if len(said) != 1 || !strings.Contains(said[0], "not known yet") || !strings.Contains(said[0], "slow") {
			b.t.Errorf("said %q", said)
		}
	})
}
