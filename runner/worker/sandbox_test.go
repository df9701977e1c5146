package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/test/fixture/pace"
)

// sandboxRun runs code and fails the test if the worker is lost.
func sandboxRun(tb testing.TB, s *worker.Sandbox, code string, h *host) runner.Outcome {
	tb.Helper()
	outcome, err := s.Run(tb.Context(), newJob(tb, code), h)
	if err != nil {
		tb.Fatalf("Run: %v (%+v)", err, outcome.Err)
	}
	return outcome
}

// kindOf returns the kind of a run's error, or "" for a run without error.
func kindOf(o runner.Outcome) toolscript.Kind {
	if o.Err == nil {
		return ""
	}
	return o.Err.Code
}

func TestRunGivesValueAndOutput(t *testing.T) {
	s, h := startSandbox(t), &host{}
	outcome := sandboxRun(t, s, "console.log('größe'); console.error('b'); return { a: [1, null, '<\u2028>'] }", h)
	if outcome.Err != nil || string(outcome.Value) != "{\"a\":[1,null,\"<\u2028>\"]}" {
		t.Errorf("outcome = %s, %+v", outcome.Value, outcome.Err)
	}
	if got, want := h.printed(), "0:größe\n1:b\n"; got != want {
		t.Errorf("output = %q, want %q", got, want)
	}
}

func TestLongOutputArrivesWhole(t *testing.T) {
	s, h := startSandbox(t), &host{}
	sandboxRun(t, s, "console.log('ä'.repeat(1_500_001))", h)
	got := strings.ReplaceAll(h.printed(), "0:", "")
	if want := strings.Repeat("ä", 1_500_001) + "\n"; got != want {
		t.Errorf("%d bytes of output, want %d", len(got), len(want))
	}
}

func TestRunCallsTools(t *testing.T) {
	s := startSandbox(t)
	var calls atomic.Int64
	h := &host{call: func(_ context.Context, c runner.Call) (json.RawMessage, *toolscript.ToolError) {
		calls.Add(1)
		if c.ID == "demo__add" {
			return nil, &toolscript.ToolError{Server: "demo", Tool: c.ID, Code: toolscript.ToolFailed, Message: "no adding today"}
		}
		return c.Args, nil
	}}
	tests := []struct {
		name, code, want string
		calls            int64
	}{
		{"in sequence", "let n = 0; for (let i = 0; i < 50; i++) n += (await tools.demo.echo({ i })).i; return n", "1225", 50},
		{"at once", "const all = await Promise.all(Array.from({ length: 100 }, (_, i) => tools.demo.echo({ i }))); return all.every((r, i) => r.i === i)", "true", 100},
		{"failing", "try { await tools.demo.add({}) } catch (e) { return [e.name, e.code, e.message] }", `["ToolError","tool_failed","no adding today"]`, 1},
		{"large", "return (await tools.demo.echo({ text: 'x'.repeat(100_000) })).text.length", "100000", 1},
		{"line ends in arguments", `return (await tools.demo.echo({ text: "a\nb" })).text`, `"a\nb"`, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			calls.Store(0)
			outcome := sandboxRun(t, s, test.code, h)
			if string(outcome.Value) != test.want || calls.Load() != test.calls {
				t.Errorf("value = %s after %d calls, %+v; want %s after %d", outcome.Value, calls.Load(), outcome.Err, test.want, test.calls)
			}
		})
	}
}

// TestAnswersOfAnEarlierRun: an answer that a script did not take is no answer to a call of the next one.
func TestAnswersOfAnEarlierRun(t *testing.T) {
	s := startSandbox(t)
	job := newJob(t, "void tools.demo.echo({ text: 'first' }); const begun = Date.now(); while (Date.now() - begun < 100); exit(0)")
	if _, err := s.Run(t.Context(), job, &host{}); err != nil {
		t.Fatal(err)
	}
	if outcome := sandboxRun(t, s, "return (await tools.demo.echo({ text: 'second' })).text", &host{}); string(outcome.Value) != `"second"` {
		t.Errorf("value = %s, %+v", outcome.Value, outcome.Err)
	}
}

func TestNamesFollowTheirKey(t *testing.T) {
	s := startSandbox(t)
	job := newJob(t, "return Object.keys(tools)")
	for _, test := range []struct {
		names *naming.Names
		want  string
	}{
		{names, `["demo"]`},
		{names, `["demo"]`},
		{&naming.Names{Key: "2", Servers: []naming.Server{{Ident: "other", Name: "other"}}}, `["other"]`},
		{nil, `[]`},
		{&naming.Names{Key: "3"}, `[]`},
		{names, `["demo"]`},
	} {
		job.Names = test.names
		outcome, err := s.Run(t.Context(), job, &host{})
		if err != nil || string(outcome.Value) != test.want {
			t.Errorf("value = %s, %+v, %v; want %s", outcome.Value, outcome.Err, err, test.want)
		}
	}
}

func TestStdin(t *testing.T) {
	s := startSandbox(t)
	pieces := [][]byte{[]byte("a\n"), []byte(strings.Repeat("b", 3<<20) + "\n"), []byte("c")}
	h := &host{stdin: func(context.Context) ([]byte, error) {
		if len(pieces) == 0 {
			return nil, nil
		}
		piece := pieces[0]
		pieces = pieces[1:]
		return piece, nil
	}}
	job := newJob(t, "return (await stdin.text()).length")
	job.Stdin = true
	outcome, err := s.Run(t.Context(), job, h)
	if want := "3145732"; err != nil || string(outcome.Value) != want {
		t.Errorf("value = %s, %+v, %v; want %s", outcome.Value, outcome.Err, err, want)
	}
}

func TestPanicsOfTheHostStayInTheCall(t *testing.T) {
	s, err := worker.StartSandbox(t.Context(), worker.Options{CacheDir: cacheDir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	h := &host{write: func(runner.Stream, string) { panic("write") }}
	outcome := sandboxRun(t, s, "console.log(1); return 2", h)
	if string(outcome.Value) != "2" {
		t.Errorf("value = %s, %+v; want 2", outcome.Value, outcome.Err)
	}
	outcome, err = s.Run(t.Context(), newJob(t, "try { await tools.demo.echo({}) } catch (e) { return e.code }"), breaking{h})
	if err != nil || string(outcome.Value) != `"internal"` {
		t.Errorf("value = %s, %+v, %v; want internal", outcome.Value, outcome.Err, err)
	}
}

// breaking is a host that panics before a call has begun.
type breaking struct{ *host }

func (breaking) Begin(runner.Call, func(runner.Answer)) { panic("begin") }

func TestAnswerTooLong(t *testing.T) {
	s := startSandbox(t)
	h := &host{call: func(context.Context, runner.Call) (json.RawMessage, *toolscript.ToolError) {
		return json.RawMessage(`"` + strings.Repeat("x", worker.MaxFrame) + `"`), nil
	}}
	outcome := sandboxRun(t, s, "try { await tools.demo.echo({}) } catch (e) { return e.code }", h)
	if string(outcome.Value) != `"too_large"` {
		t.Errorf("value = %s, %+v; want too_large", outcome.Value, outcome.Err)
	}
}

// TestCallsEndWithTheRun checks that the end of a run cancels its calls.
func TestCallsEndWithTheRun(t *testing.T) {
	s := startSandbox(t)
	ended := make(chan error, 1)
	h := &host{call: func(ctx context.Context, _ runner.Call) (json.RawMessage, *toolscript.ToolError) {
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, &toolscript.ToolError{Code: toolscript.Cancelled}
	}}
	outcome := sandboxRun(t, s, "void tools.demo.echo({}).catch(() => {}); exit(0)", h)
	if !outcome.Exited {
		t.Errorf("%+v; want an exit", outcome)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the call's ctx ended with %v", err)
	}
	sandboxRun(t, s, "return 2", &host{})
}

// TestHostThatDoesNotReturnIsAbandoned makes a call that does not end with its run. Its late answer
// arrives while the next run waits for a call with the same id, and must not reach that run.
func TestHostThatDoesNotReturnIsAbandoned(t *testing.T) {
	s := startSandbox(t)
	release := make(chan struct{})
	h := &host{call: func(context.Context, runner.Call) (json.RawMessage, *toolscript.ToolError) {
		<-release
		return json.RawMessage(`"late"`), nil
	}}
	outcome := sandboxRun(t, s, "void tools.demo.echo({}); exit(0)", h)
	if !outcome.Exited {
		t.Errorf("%+v; want an exit", outcome)
	}
	const more = 100 // calls during which the late answer may arrive
	begun, enough := 0, make(chan struct{})
	next := &host{call: func(_ context.Context, c runner.Call) (json.RawMessage, *toolscript.ToolError) {
		if c.ID == "demo__echo" {
			<-enough
			return json.RawMessage(`"mine"`), nil
		}
		switch begun++; begun {
		case 1:
			close(release)
		case more:
			close(enough)
		}
		return json.RawMessage("1"), nil
	}}
	outcome = sandboxRun(t, s, fmt.Sprintf("const mine = tools.demo.echo({}); for (let i = 0; i < %d; i++) await tools.demo.add({}); return mine", more), next)
	if string(outcome.Value) != `"mine"` {
		t.Errorf("value = %s, %+v: the answer to another run", outcome.Value, outcome.Err)
	}
}

func TestCancel(t *testing.T) {
	for name, code := range map[string]string{
		"while it waits":               "await tools.demo.echo({})",
		"while it computes":            "void tools.demo.echo({}); for (;;);",
		"in a microtask":               "void tools.demo.echo({}); for (;;) await 0",
		"in native code":               "void tools.demo.echo({}); new Array(2 ** 32 - 1).join('')",
		"while the host does not read": "void tools.demo.echo({}); for (;;) console.log('x'.repeat(10_000))",
	} {
		t.Run(name, func(t *testing.T) {
			s := startSandbox(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			h := &host{
				call: func(context.Context, runner.Call) (json.RawMessage, *toolscript.ToolError) {
					cancel()
					return json.RawMessage("1"), nil // the run is cancelled and ignores this answer
				},
				write: func(runner.Stream, string) { <-ctx.Done() },
			}
			outcome, err := s.Run(ctx, newJob(t, code), h)
			if kindOf(outcome) != toolscript.Cancelled || outcome.ExitCode == 0 {
				t.Errorf("outcome = %+v, %v; want %s", outcome, err, toolscript.Cancelled)
			}
			if err != nil && !errors.Is(err, worker.ErrKilled) {
				t.Errorf("Run = %v, want nil or %v", err, worker.ErrKilled)
			}
		})
	}
}

func TestOutputWaitsForTheReader(t *testing.T) {
	s := startSandbox(t)
	var written atomic.Int64
	blocked, release := make(chan struct{}), make(chan struct{})
	h := &host{write: func(_ runner.Stream, text string) {
		if written.Add(int64(len(text))) > 1<<20 && blocked != nil {
			close(blocked)
			<-release
			blocked = nil
		}
	}}
	var done sync.WaitGroup
	done.Go(func() { sandboxRun(t, s, "for (let i = 0; i < 1000; i++) console.log('x'.repeat(9_999))", h) })
	<-blocked
	close(release)
	done.Wait()
	if got := written.Load(); got != 10_000_000 {
		t.Errorf("%d bytes written, want 10000000", got)
	}
}

func TestWorkerKilledInTheMiddle(t *testing.T) {
	s := startSandbox(t)
	h := &host{call: func(ctx context.Context, _ runner.Call) (json.RawMessage, *toolscript.ToolError) {
		s.Kill()
		<-ctx.Done()
		return nil, nil
	}}
	begun := time.Now()
	outcome, err := s.Run(t.Context(), newJob(t, "await tools.demo.echo({})"), h)
	if toolscript.KindOf(err) != toolscript.Unavailable || kindOf(outcome) != toolscript.Internal {
		t.Errorf("Run = %+v, %v; want kind %s", outcome.Err, err, toolscript.Unavailable)
	}
	if took := time.Since(begun); took > pace.Limit(5*time.Second) {
		t.Errorf("it took %s to notice", took)
	}
	if _, err := s.Run(t.Context(), newJob(t, "return 1"), &host{}); err == nil {
		t.Error("a dead sandbox ran a script")
	}
}
