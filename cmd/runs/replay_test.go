package runs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/cmd/runs"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/script"
	"github.com/toolscript/toolscript/runner/worker"
)

// cacheDir is the cache of the compiled engine for all tests.
var cacheDir string

// TestMain makes the test binary a worker if it is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == worker.Command {
		os.Exit(worker.Main(os.Args[2:]))
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	var err error
	if cacheDir, err = os.MkdirTemp("", "replay"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(cacheDir) }()
	return m.Run()
}

var names = &naming.Names{Key: "1", Servers: []naming.Server{{
	Ident: "demo", Name: "demo", Tools: []naming.Tool{{Ident: "echo", ID: "demo__echo"}},
}}}

// echoed returns a recorded call of echo. end and begun are the fields of kept.RecordedCall.
func echoed(n, end, begun int) kept.RecordedCall {
	text := json.RawMessage(fmt.Sprintf(`{"n":%d}`, n))
	c := kept.RecordedCall{ID: "demo__echo", Args: text, End: end, Begun: begun}
	if end > 0 {
		c.Value = text
	}
	return c
}

// recorded returns the recording of a script with these calls and this outcome.
func recorded(t *testing.T, code string, o runner.Outcome, calls ...kept.RecordedCall) kept.Recording {
	t.Helper()
	compiled, found := script.Compile(runner.Source{Code: code})
	if len(found) > 0 {
		t.Fatalf("Compile: %+v", found)
	}
	return kept.Recording{
		Version: kept.RecordingVersion, Code: code, Calls: calls, Outcome: o,
		Job: runner.Job{
			RunID: "run_0123456789abcdef", File: script.DefaultFile, Compiled: compiled, Cwd: "/", TZ: "UTC", Names: names,
			Limits: toolscript.Limits{TimeoutMs: 300_000, CPUMs: 60_000, MemoryMB: 64, StackKB: 512, ToolCalls: 1000, Concurrency: 16},
		},
	}
}

// again replays a recording, with another script unless code is empty.
func again(t *testing.T, r kept.Recording, code string) (runs.ReplayReport, error) {
	t.Helper()
	var other *runs.ReplayScript
	if code != "" {
		other = &runs.ReplayScript{Code: code, File: "other.ts"}
	}
	load := func() (kept.Recording, error) { return r, nil }
	return runs.Replay(t.Context(), load, other, worker.Options{CacheDir: cacheDir}, func(runner.Stream, string) {})
}

func value(text string) runner.Outcome { return runner.Outcome{Value: json.RawMessage(text)} }

const race = `
const first = await Promise.race([tools.demo.echo({ n: 1 }), tools.demo.echo({ n: 2 }), late()]);
async function late() {
	await new Promise((done) => setTimeout(done, 20));
	return await tools.demo.echo({ n: 3 });
}
return first.n;
`

// TestOrder: answers arrive in the recorded order, even if a timer of the script begins a call later.
func TestOrder(t *testing.T) {
	r := recorded(t, race, value("2"), echoed(1, 2, 3), echoed(2, 1, 3), echoed(3, 3, 3))
	report, err := again(t, r, "")
	if err != nil || !report.Same || report.Calls != 3 || string(report.Value) != "2" {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestDivergence: a changed script gets an answer for which it waits earlier, and an error for a call
// without a recorded answer. Neither waits for the time limit of the run, which is five minutes.
func TestDivergence(t *testing.T) {
	both := recorded(t, "await Promise.all([tools.demo.echo({ n: 1 }), tools.demo.echo({ n: 2 })]);", runner.Outcome{}, echoed(1, 1, 2), echoed(2, 2, 2))
	for _, c := range []struct{ name, code, want string }{
		{"one after the other", "await tools.demo.echo({ n: 1 }); await tools.demo.echo({ n: 2 });", "call 1: order: recorded 2 calls before its answer, replayed 1 calls"},
		{"no recorded answer", "await Promise.all([tools.demo.echo({ n: 1 }), tools.demo.echo({ n: 9 })]);", "call 2: arguments: "},
		{"the first alone", "await tools.demo.echo({ n: 1 });", "call 2: missing: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			report, err := again(t, both, c.code)
			if err != nil || report.Same || len(report.Divergences) == 0 {
				t.Fatalf("%+v, %v", report, err)
			}
			found := false
			for _, d := range report.Divergences {
				found = found || strings.HasPrefix(d.String(), c.want)
			}
			if !found {
				t.Errorf("%v, want %q", report.Divergences, c.want)
			}
		})
	}
	open := recorded(t, "tools.demo.echo({ n: 1 }); exit(0)", runner.Outcome{Exited: true}, echoed(1, 0, 0))
	if report, err := again(t, open, ""); err != nil || !report.Same {
		t.Errorf("a call that exit has cancelled: %+v, %v", report, err)
	}
	answer := recorded(t, "tools.demo.echo({ n: 1 }); return 1", value("1"), echoed(1, 0, 0))
	answer.Job.Answer = &runner.AnswerContext{}
	if report, err := again(t, answer, ""); err != nil || !report.Same {
		t.Errorf("a call that an answer has not awaited: %+v, %v", report, err)
	}
	unawaited := recorded(t, "const out = []; [1, 2].forEach(async (n) => out.push((await tools.demo.echo({ n })).n)); return out", value("[2,1]"), echoed(1, 2, 2), echoed(2, 1, 2))
	if report, err := again(t, unawaited, ""); err != nil || !report.Same {
		t.Errorf("calls that are not awaited: %+v, %v", report, err)
	}
	report, err := again(t, open, "await tools.demo.echo({ n: 1 }); return 1")
	if err != nil || report.Same || !strings.HasPrefix(report.Divergences[0].String(), "call 1: order: recorded no answer before the end of the script") {
		t.Errorf("a call that is awaited now: %+v, %v", report, err)
	}
}

// TestStopped: the replay of a run that reached its time limit while it waited for an answer does
// not wait for the limit.
func TestStopped(t *testing.T) {
	limit := runner.Outcome{ExitCode: 1, Err: toolscript.Fail(toolscript.LimitTime, "the script ran too long")}
	report, err := again(t, recorded(t, "await tools.demo.echo({ n: 1 });", limit, echoed(1, 0, 0)), "")
	if err != nil || !report.Same {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestDialect: a changed script in a model's answer is read in the dialect of the recorded script.
func TestDialect(t *testing.T) {
	r := recorded(t, "return 1", value(`"c1"`))
	if report, err := again(t, r, "return context.conversationId"); err != nil || report.Same {
		t.Errorf("a script of exec has a context: %+v, %v", report, err)
	}
	r.Job.Answer = &runner.AnswerContext{ConversationID: "c1", ScriptID: "s1"}
	report, err := again(t, r, "return context.conversationId")
	if err != nil || !report.Same {
		t.Errorf("%+v, %v", report, err)
	}
	if _, err := again(t, r, `return eval("1")`); err == nil || !strings.Contains(err.Error(), "other.ts:1:8: ") {
		t.Errorf("eval in a script of an answer: %v", err)
	}
}

// TestNotLoaded: Replay returns the error of reading the recording.
func TestNotLoaded(t *testing.T) {
	failed := errors.New("damaged")
	load := func() (kept.Recording, error) { return kept.Recording{}, failed }
	if _, err := runs.Replay(t.Context(), load, nil, worker.Options{CacheDir: cacheDir}, nil); !errors.Is(err, failed) {
		t.Errorf("Run: %v", err)
	}
}
