package deno_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/deno"
	"github.com/toolscript/toolscript/runner/script"
	"github.com/toolscript/toolscript/test/fixture/testhost"
)

// executable returns the Deno for the tests: the one that test/package.json pins,
// otherwise TOOLSCRIPT_DENO, otherwise the one in PATH.
func executable(tb testing.TB) string {
	tb.Helper()
	if pinned, err := filepath.Abs("../../test/node_modules/@deno/linux-x64-glibc/deno"); err == nil && runtime.GOOS == "linux" {
		if _, err := os.Stat(pinned); err == nil {
			return pinned
		}
	}
	if named := os.Getenv("TOOLSCRIPT_DENO"); named != "" {
		return named
	}
	found, err := exec.LookPath("deno")
	if err != nil {
		tb.Skip("no Deno here: run npm ci in test, or set TOOLSCRIPT_DENO")
	}
	return found
}

// newEngine returns an engine with its own folder, which must be empty at the end of
// the test.
func newEngine(tb testing.TB) *deno.Engine {
	tb.Helper()
	folder := filepath.Join(tb.TempDir(), "deno")
	e, err := deno.NewEngine(tb.Context(), deno.Options{Executable: executable(tb), Folder: folder})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := e.Close(); err != nil {
			tb.Error(err)
		}
		left, err := os.ReadDir(folder)
		if err != nil || len(left) > 0 {
			tb.Errorf("the engine has left %v, %v", left, err)
		}
	})
	return e
}

func start(tb testing.TB, e *deno.Engine) *deno.Process {
	tb.Helper()
	p, err := e.Start(tb.Context(), "s1-7")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		p.Kill()
		<-p.Done()
	})
	return p
}

// host is a Host that calls the function tool.
type host struct {
	testhost.Calls
	tool  func(context.Context, runner.Call) (json.RawMessage, *toolscript.ToolError)
	stdin []string // chunks; then the input ends

	mu     sync.Mutex
	output [2]strings.Builder
	calls  []runner.Call
}

func (h *host) Begin(c runner.Call, done func(runner.Answer)) {
	h.mu.Lock()
	h.calls = append(h.calls, c)
	h.mu.Unlock()
	if h.tool == nil {
		done(runner.Answer{Value: c.Args})
		return
	}
	h.Make(c, done, func(ctx context.Context) (json.RawMessage, *toolscript.ToolError) { return h.tool(ctx, c) })
}

func (h *host) Write(s runner.Stream, text string) { h.output[s].WriteString(text) }

func (h *host) ReadStdin(context.Context) ([]byte, error) {
	if len(h.stdin) == 0 {
		return nil, nil
	}
	chunk := h.stdin[0]
	h.stdin = h.stdin[1:]
	return []byte(chunk), nil
}

func (h *host) stdout() string { return h.output[runner.Stdout].String() }
func (h *host) stderr() string { return h.output[runner.Stderr].String() }

var demoNames = &naming.Names{Key: "test", Servers: []naming.Server{
	{Ident: "github", Name: "github", Tools: []naming.Tool{
		{Ident: "createIssue", ID: "github__create_issue"}, {Ident: "listIssues", ID: "github__list_issues"},
	}},
	{Ident: "away", Name: "a-way"},
}}

// job compiles a script in the same way as the checker.
func job(tb testing.TB, code string) runner.Job {
	tb.Helper()
	compiled, found := script.Compile(runner.Source{Code: code, File: "script.ts"})
	if len(found) > 0 {
		tb.Fatalf("%s: %+v", code, found)
	}
	return runner.Job{
		RunID: "run-1", File: "script.ts", Compiled: compiled, Names: demoNames, TZ: "UTC", Cwd: "/work",
		Limits: toolscript.Limits{TimeoutMs: 60_000},
	}
}

// denoRun runs a script in its own process.
func denoRun(tb testing.TB, e *deno.Engine, j runner.Job, h *host) runner.Outcome {
	tb.Helper()
	out, err := start(tb, e).Run(tb.Context(), j, h)
	if err != nil {
		tb.Fatalf("Run: %v", err)
	}
	return out
}
