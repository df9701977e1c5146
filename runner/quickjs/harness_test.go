package quickjs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/quickjs"
	"github.com/toolscript/toolscript/test/fixture/pace"
)

// engine is compiled once and shared by all tests.
var engine *quickjs.Engine

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	var err error
	if engine, err = quickjs.NewEngine(context.Background(), quickjs.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer engine.Close() //nolint:errcheck // the process ends
	return m.Run()
}

func newVM(tb testing.TB) *quickjs.VM {
	tb.Helper()
	vm, err := engine.NewVM(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := vm.Close(); err != nil {
			tb.Error(err)
		}
	})
	return vm
}

// host is a Host that calls tool on a new goroutine for each call.
type host struct {
	tool func(runner.Call) (json.RawMessage, *toolscript.ToolError)

	answers chan quickjs.Answer
	stdin   []string // chunks; then the input ends

	mu     sync.Mutex
	output [2]strings.Builder
	calls  []runner.Call
}

func newHost() *host {
	return &host{answers: make(chan quickjs.Answer, 1024), tool: echo}
}

// echo is a tool that returns its arguments.
func echo(c runner.Call) (json.RawMessage, *toolscript.ToolError) { return c.Args, nil }

func (h *host) Call(c runner.Call) {
	h.mu.Lock()
	h.calls = append(h.calls, c)
	h.mu.Unlock()
	if h.tool == nil {
		return // never answered
	}
	go func() {
		value, err := h.tool(c)
		h.answers <- quickjs.Answer{CallID: c.CallID, Value: value, Err: err}
	}()
}

func (h *host) Cancel(callID string) {
	h.answers <- quickjs.Answer{CallID: callID, Err: &toolscript.ToolError{Code: toolscript.Cancelled, Message: "cancelled"}}
}

func (h *host) Write(s runner.Stream, text string) { h.output[s].WriteString(text) }

func (h *host) Idle(int) {}

func (h *host) ReadStdin() {
	if len(h.stdin) == 0 {
		h.answers <- quickjs.Answer{StdinEOF: true}
		return
	}
	h.answers <- quickjs.Answer{Stdin: []byte(h.stdin[0])}
	h.stdin = h.stdin[1:]
}

func (h *host) Next(ctx context.Context, wait time.Duration) (quickjs.Answer, bool) {
	select {
	case answer := <-h.answers:
		return answer, true
	case <-ctx.Done():
	case <-time.After(wait):
	}
	return quickjs.Answer{}, false
}

func (h *host) Poll() {}

func (h *host) stdout() string { return h.output[runner.Stdout].String() }

// names is a catalog of two servers; only the first has a tool.
var names = &naming.Names{Key: "test", Servers: []naming.Server{
	{Ident: "github", Name: "github", Tools: []naming.Tool{
		{Ident: "createIssue", ID: "github__create_issue"},
		{Ident: "listIssues", ID: "github__list_issues"},
	}},
	{Ident: "empty", Name: "empty"},
}}

// script returns a job with the test's names and a generous time limit.
func script(text string) runner.Job {
	return runner.Job{
		RunID: "run-1", File: "script.ts", Names: names, TZ: "UTC",
		Compiled: runner.Compiled{JavaScript: text},
		Limits:   toolscript.Limits{TimeoutMs: pace.Limit(time.Minute).Milliseconds()},
	}
}

// run runs a script on its own VM and expects no error.
func run(t *testing.T, job runner.Job, h *host) runner.Outcome {
	t.Helper()
	out := newVM(t).Run(t.Context(), job, h)
	if out.Err != nil {
		t.Fatalf("Run: %s: %s\n%s", out.Err.Name, out.Err.Message, out.Err.Stack)
	}
	return out
}

// fails runs a script and expects an error.
func fails(t *testing.T, job runner.Job, h *host) *toolscript.RunError {
	t.Helper()
	out := newVM(t).Run(t.Context(), job, h)
	if out.Err == nil {
		t.Fatalf("Run gave %s, want an error", out.Value)
	}
	if out.ExitCode != 1 {
		t.Errorf("ExitCode = %d, want 1", out.ExitCode)
	}
	return out.Err
}

// value checks the value of an expression, as JSON.
func value(t *testing.T, expression, want string) {
	t.Helper()
	out := run(t, script("import * as ts from 'toolscript'; const { tools, stdin, cwd, env } = ts; export default "+expression), newHost())
	if got := string(out.Value); got != want {
		t.Errorf("%s = %s, want %s", expression, got, want)
	}
}

// wantFresh checks that a VM shows no state of an earlier run.
func wantFresh(t *testing.T, vm *quickjs.VM) {
	t.Helper()
	start := time.Now()
	if err := vm.Reset(t.Context()); err != nil {
		t.Fatalf("Reset: %v", err)
	}
	out := vm.Run(t.Context(), script(`export default [1+1, ({}).polluted ?? null, [].push.name, typeof leaked]`), newHost())
	if want := `[2,null,"push","undefined"]`; out.Err != nil || string(out.Value) != want {
		t.Errorf("after the reset the VM gives %s, %+v, want %s (%v)", out.Value, out.Err, want, time.Since(start))
	}
}
