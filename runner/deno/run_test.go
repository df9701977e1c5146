package deno_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/deno"
	"github.com/toolscript/toolscript/test/fixture/pace"
)

func TestRun(t *testing.T) {
	h := &host{}
	out := denoRun(t, newEngine(t), job(t, `import { tools, cwd } from "toolscript";
console.log("on", cwd(), Object.keys(tools));
console.error(typeof fetch, typeof Deno.readTextFile);
await tools.$with({ idempotencyKey: "order-4711" }).github.listIssues({});
return await tools.github.createIssue({ title: "x" })`), h)
	if out.Err != nil || string(out.Value) != `{"title":"x"}` {
		t.Errorf("Run = %s, %+v", out.Value, out.Err)
	}
	if got, want := h.stdout(), "on /work [ 'github', 'away' ]\n"; got != want {
		t.Errorf("stdout = %q, want %q", got, want)
	}
	if got, want := h.stderr(), "undefined undefined\n"; got != want {
		t.Errorf("stderr = %q, want %q", got, want)
	}
	want := []runner.Call{
		{CallID: "1", ID: "github__list_issues", Args: json.RawMessage(`{}`), Key: "order-4711"},
		{CallID: "2", ID: "github__create_issue", Args: json.RawMessage(`{"title":"x"}`)},
	}
	if diff := cmp.Diff(want, h.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestLimits checks that scripts that compute, allocate or wait without end are
// stopped by their limit, and that the folder of their process is removed.
func TestLimits(t *testing.T) {
	e := newEngine(t)
	for _, c := range []struct {
		name, code string
		limits     toolscript.Limits
		kind       toolscript.Kind
		text       string
	}{
		{"wall time of a loop", `for (;;);`, toolscript.Limits{TimeoutMs: 300}, toolscript.LimitTime, "300 ms"},
		{"wall time of a wait", `await new Promise((r) => setTimeout(r, 60000))`, toolscript.Limits{TimeoutMs: 300}, toolscript.LimitTime, "300 ms"},
		{"processor time", `for (;;);`, toolscript.Limits{TimeoutMs: 60_000, CPUMs: 200}, toolscript.LimitTime, "200 ms of CPU"},
		{"the heap", `const a = []; for (;;) a.push(new Array(1000).fill(a.length))`, toolscript.Limits{TimeoutMs: 60_000}, toolscript.LimitMemory, "96 MB"},
		{"buffers", `const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))`, toolscript.Limits{TimeoutMs: 60_000, MemoryMB: 64}, toolscript.LimitMemory, "64 MB"},
		{"the value", `return "x".repeat(1000)`, toolscript.Limits{TimeoutMs: 60_000, ValueBytes: 100}, toolscript.LimitOutput, "1002 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, e)
			j := job(t, c.code)
			j.Limits = c.limits
			out, err := p.Run(t.Context(), j, &host{})
			if err != nil || out.Err == nil || out.Err.Code != c.kind || !strings.Contains(out.Err.Message, c.text) {
				t.Errorf("Run = %+v, %v, want %s with %q", out.Err, err, c.kind, c.text)
			}
			if _, err := os.Stat(p.Folder()); !os.IsNotExist(err) {
				t.Errorf("the folder of the process is left: %v", err)
			}
		})
	}
}

// TestUnreadAnswersAreBounded checks the limit for answers that stay in the gateway because
// the script computes without end.
func TestUnreadAnswersAreBounded(t *testing.T) {
	answer, err := json.Marshal(strings.Repeat("x", 30<<20))
	if err != nil {
		t.Fatal(err)
	}
	out := denoRun(t, newEngine(t), job(t, `import { tools } from "toolscript"; for (let i = 0; i < 100; i++) tools.github.listIssues({}).catch(() => {}); for (;;);`), &host{
		tool: func(context.Context, runner.Call) (json.RawMessage, *toolscript.ToolError) { return answer, nil },
	})
	if out.Err == nil || out.Err.Code != toolscript.LimitMemory || !strings.Contains(out.Err.Message, "answers") {
		t.Errorf("Run = %+v, want limit_memory for the sake of the answers", out.Err)
	}
}

// TestNoErrorShowsTheCapability checks that no error contains the capability in the
// gateway's URL. It is useless to other programs but looks like a secret.
func TestNoErrorShowsTheCapability(t *testing.T) {
	e := newEngine(t)
	for name, code := range map[string]string{
		"a tool of 70,000 characters": `import { tools } from "toolscript"; await tools.away["x".repeat(70_000)]({}); throw new Error("called")`,
		"thrown by the script":        `throw new Error(Deno.env.get("TOOLSCRIPT_GATEWAY_URL"))`,
		"as a cause":                  `throw new Error("x", { cause: new Error(Deno.env.get("TOOLSCRIPT_GATEWAY_URL") + "/answer") })`,
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, e)
			out, err := p.Run(t.Context(), job(t, code), &host{})
			if err != nil || out.Err == nil || out.Err.Code != toolscript.Threw {
				t.Fatalf("Run = %+v, %v, want what the script threw", out.Err, err)
			}
			if text := fmt.Sprintf("%+v", out.Err); strings.Contains(text, deno.Capability(p)) {
				t.Errorf("the error shows the capability: %s", text)
			}
		})
	}
}

// TestTaskOfAScriptThatEndsAtOnce checks that a call begins before its script ends,
// even if the script ends at once.
func TestTaskOfAScriptThatEndsAtOnce(t *testing.T) {
	h := &host{tool: func(ctx context.Context, _ runner.Call) (json.RawMessage, *toolscript.ToolError) {
		<-ctx.Done()
		return nil, &toolscript.ToolError{Code: toolscript.Cancelled, Message: "over"}
	}}
	out := denoRun(t, newEngine(t), job(t, `import { tools } from "toolscript"; tools.spawn.github.createIssue({ a: 1 }); return 1`), h)
	if out.Err != nil || len(h.calls) != 1 || !h.calls[0].Task || string(h.calls[0].Args) != `{"a":1}` {
		t.Errorf("Run = %+v, calls %+v, want one task", out.Err, h.calls)
	}
}

// TestStoppedClock checks that a run whose clock is stopped outlasts its
// limit, and that the limit applies again when the clock runs.
func TestStoppedClock(t *testing.T) {
	limit := pace.Limit(time.Second)
	e := newEngine(t)
	for end, want := range map[string]toolscript.Kind{`return 1`: "", `for (;;);`: toolscript.LimitTime} {
		p, j := start(t, e), job(t, `import { tools } from "toolscript"; await tools.github.createIssue({}); `+end)
		j.Limits.TimeoutMs, j.Clock = limit.Milliseconds(), &runner.Clock{}
		out, err := p.Run(t.Context(), j, &host{tool: func(_ context.Context, c runner.Call) (json.RawMessage, *toolscript.ToolError) {
			defer j.Clock.Hold()()
			<-time.After(limit + limit/2)
			return c.Args, nil
		}})
		kind := toolscript.Kind("")
		if out.Err != nil {
			kind = out.Err.Code
		}
		if err != nil || kind != want {
			t.Errorf("%s: %+v, %v, want %q", end, out.Err, err, want)
		}
	}
}
