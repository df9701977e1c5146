package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/test/harness"
)

// TestCheckersAreKilledAlone checks a source that never ends, one that fills the memory and one that
// overflows the stack. Only the checker of that source ends, with the right error. Meanwhile other
// runs use a second checker, and later runs a new one.
func TestCheckersAreKilledAlone(t *testing.T) {
	var doubling strings.Builder
	fmt.Fprintf(&doubling, "type S0 = '%s';", strings.Repeat("x", 64))
	for i := range 25 {
		fmt.Fprintf(&doubling, "type S%d = `${S%d}${S%d}`;", i+1, i, i)
	}
	doubling.WriteString("const x: S25 = 'y'; return x")
	limit := worker.SourceLimit
	for _, test := range []struct {
		name, code, want string
		limit            runner.Usage
	}{
		{"time", "const x = " + strings.Repeat("[", 500) + strings.Repeat("]", 500) + "; return x", "s; ", limit},
		{"stack", "const x = " + strings.Repeat("[", 250_000) + strings.Repeat("]", 250_000), "could not be compiled: it is too complex", runner.Usage{Work: 10 * limit.Work, Wall: 10 * limit.Wall}},
		// On a busy machine, filling the memory needs about as much work as the limit allows.
		{"memory", doubling.String(), " 512 MB ", runner.Usage{Work: 10 * limit.Work, Wall: 10 * limit.Wall}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if testing.Short() && test.name == "memory" {
				t.Skip("it is slow")
			}
			t.Cleanup(func() { worker.SourceLimit = limit }) // after the gateway has ended
			worker.SourceLimit = test.limit
			g := newGateway(t)
			hostile := make(chan *result, 1)
			go func() { hostile <- g.exec(t, toolscript.ExecRequest{Code: test.code}, "") }()
			var killed *result
			for n := 0; killed == nil; n++ {
				correct := g.exec(t, toolscript.ExecRequest{Code: fmt.Sprintf("const n: number = %d; return n", n)}, "")
				if string(correct.end.Value) != fmt.Sprint(n) {
					t.Errorf("at the same time: %s", correct)
				}
				select {
				case killed = <-hostile:
				default:
				}
			}
			if killed.end.Kind != toolscript.CheckFailed || !strings.Contains(killed.end.Error.Message, test.want) {
				t.Errorf("it ended with %s, want %s", killed, test.want)
			}
			for _, r := range []string{"1", "2"} {
				if after := g.exec(t, toolscript.ExecRequest{Code: "return " + r + " // " + test.name}, ""); string(after.end.Value) != r {
					t.Errorf("after it: %s", after)
				}
			}
			if now := checkers(); len(now) == 0 || len(now) > 2 {
				t.Errorf("%d checkers afterwards, want one or two", len(now))
			}
		})
	}
}

// TestHostileSourceDoesNotDelayRuns occupies a checker with a source that it cannot finish, while
// another run is answered.
func TestHostileSourceDoesNotDelayRuns(t *testing.T) {
	limit := worker.SourceLimit
	t.Cleanup(func() { worker.SourceLimit = limit })                                // after the gateway has ended
	worker.SourceLimit = runner.Usage{Work: 50 * limit.Work, Wall: 50 * limit.Wall} // the hostile source must not reach its limit
	g := newGateway(t)
	g.exec(t, toolscript.ExecRequest{Code: "return 0"}, "") // the next checker is started if there is only one
	awaitIdle(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	hostile := make(chan error, 1)
	go func() {
		hostile <- g.Exec(ctx, toolscript.ExecRequest{Code: "const f = " + strings.Repeat("async(", 40) + "1" + strings.Repeat(")", 40)}, func(toolscript.Event) error { return nil })
	}()
	used := work()
	await(t, "no checker is busy", time.Millisecond, func() bool { return work() > used+300*time.Millisecond }) // more than an ordinary source needs
	if r := g.exec(t, toolscript.ExecRequest{Code: "return 1"}, ""); string(r.end.Value) != "1" {
		t.Errorf("at the same time: %s", r)
	}
	select {
	case err := <-hostile:
		t.Errorf("the hostile run has ended meanwhile: %v", err)
	default:
		cancel()
		<-hostile
	}
}

// checkers returns the checker processes of this test.
func checkers() (all []harness.Process) {
	for _, p := range harness.Descendants(os.Getpid()) {
		if p.Worker() == "checker" && p.State != "Z" {
			all = append(all, p)
		}
	}
	return all
}

// work returns the processor time that the checkers have used so far.
func work() (all time.Duration) {
	for _, p := range checkers() {
		all += p.Used
	}
	return all
}

// awaitIdle waits until no checker is busy or starting.
func awaitIdle(t *testing.T) {
	t.Helper()
	before := time.Duration(-1)
	await(t, "the checkers are never idle", 200*time.Millisecond, func() bool {
		now := work()
		same := now == before
		before = now
		return same
	})
}
