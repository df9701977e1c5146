package quickjs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/test/fixture/pace"
)

// TestTimeLimitKeepsThePlace checks that the error names the function. The engine does not know the
// position in the function.
func TestTimeLimitKeepsThePlace(t *testing.T) {
	job := script("function spin() {\n  for (;;) {}\n}\nspin();")
	job.Limits.TimeoutMs = pace.Limit(100 * time.Millisecond).Milliseconds() // on a busy machine, the function begins late
	err := fails(t, job, newHost())
	if err.Name != "ScriptTimeoutError" || err.Code != toolscript.LimitTime || !strings.Contains(err.Message, fmt.Sprintf(" %d ms", job.Limits.TimeoutMs)) {
		t.Errorf("error = %s %s %q, want ScriptTimeoutError limit_time with the limit", err.Name, err.Code, err.Message)
	}
	if !strings.Contains(err.Stack, "at spin (script.ts:1:") {
		t.Errorf("stack = %q, want where it was spinning", err.Stack)
	}
	if ms, _ := err.Metadata["elapsedMs"].(float64); ms < float64(job.Limits.TimeoutMs) {
		t.Errorf("elapsedMs = %v, want at least %d", err.Metadata["elapsedMs"], job.Limits.TimeoutMs)
	}
}

func TestTimeLimitWhileWaiting(t *testing.T) {
	for name, text := range map[string]string{
		"for a tool":               imports + `await tools.github.createIssue({})`,
		"for a timer":              `await new Promise((r) => setTimeout(r, 1e6))`,
		"for a timer, not awaited": `(async () => { await new Promise((r) => setTimeout(r, 1e6)) })()`,
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost()
			h.tool = nil
			job := script(text)
			job.Limits.TimeoutMs = 20
			err := fails(t, job, h)
			if err.Code != toolscript.LimitTime {
				t.Errorf("Code = %s, want limit_time", err.Code)
			}
			if n := len(h.calls); err.Metadata["pendingTools"] != n {
				t.Errorf("pendingTools = %v, want %d", err.Metadata["pendingTools"], n)
			}
		})
	}
}

func TestCPULimit(t *testing.T) {
	job := script(`for (;;) {}`)
	job.Limits.CPUMs = 30
	err := fails(t, job, newHost())
	if err.Code != toolscript.LimitTime || !strings.Contains(err.Message, "CPU") {
		t.Errorf("error = %s %q, want limit_time about CPU", err.Code, err.Message)
	}
}

func TestCancel(t *testing.T) {
	for name, text := range map[string]string{
		"while it runs":  `console.log("begun"); for (;;) {}`,
		"while it waits": `console.log("begun"); await new Promise((r) => setTimeout(r, 1e6))`,
		"in C code":      `console.log("begun"); new Array(2**32-1).join('')`,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			vm := newVM(t)
			out := vm.Run(ctx, script(text), &cancelling{newHost(), cancel})
			if out.Err == nil || out.Err.Code != toolscript.Cancelled {
				t.Errorf("error = %+v, want cancelled", out.Err)
			}
			wantFresh(t, vm)
		})
	}
}

// cancelling is a host that cancels the run at its first output.
type cancelling struct {
	*host
	cancel context.CancelFunc
}

func (c *cancelling) Write(runner.Stream, string) { c.cancel() }

func TestCancelledBeforeItBegins(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out := newVM(t).Run(ctx, script(`for (let i = 0; i < 1e9; i++);`), newHost())
	if out.Err == nil || out.Err.Code != toolscript.Cancelled {
		t.Errorf("error = %+v, want cancelled", out.Err)
	}
}

func TestMemoryLimitOfTheJob(t *testing.T) {
	vm := newVM(t)
	const fill = `const a = []; for (let i = 0; i < 60; i++) a.push(new Uint8Array(1e6).fill(1)); export default a.length`
	for _, test := range []struct {
		mb   int64
		fits bool
	}{{32, false}, {96, true}, {0, true}, {200, true}, {32, false}} {
		job := script(fill)
		job.Limits.MemoryMB = test.mb
		if out := vm.Run(t.Context(), job, newHost()); (out.Err == nil) != test.fits {
			t.Errorf("60 MB in a heap of %d MB: %+v, want it to fit: %t", test.mb, out.Err, test.fits)
		}
		wantFresh(t, vm)
	}
}

func TestAnswerThatDoesNotFit(t *testing.T) {
	h := newHost()
	h.tool = func(runner.Call) (json.RawMessage, *toolscript.ToolError) {
		return json.RawMessage(`"` + strings.Repeat("x", 200<<20) + `"`), nil
	}
	job := script(imports + `export default await tools.github.createIssue({}).catch((e) => e.code)`)
	job.Limits.MemoryMB = 16
	if out := run(t, job, h); string(out.Value) != `"too_large"` {
		t.Errorf("Value = %s, want too_large", out.Value)
	}
}

func TestStackLimit(t *testing.T) {
	err := fails(t, script("function f(n) { return f(n + 1) + 1 }\nf(0)"), newHost())
	if err.Name != "ScriptStackError" || err.Code != toolscript.LimitStack {
		t.Errorf("error = %s %s, want ScriptStackError limit_stack", err.Name, err.Code)
	}
	depth := func(kb int64) string {
		job := script(`let n = 0; const f = () => { n++; f() }; try { f() } catch {} export default n > 500`)
		job.Limits.StackKB = kb
		return string(run(t, job, newHost()).Value)
	}
	if small, large := depth(32), depth(512); small != "false" || large != "true" {
		t.Errorf("500 calls deep: %s with 32 KB, %s with 512 KB, want false and true", small, large)
	}
}

// TestStackLimitOfAlmostNothing checks that the error names the stack limit even if
// the stack is too small for any call.
func TestStackLimitOfAlmostNothing(t *testing.T) {
	job := script("1")
	job.Limits.StackKB = 1
	if err := fails(t, job, newHost()); err.Code != toolscript.LimitStack {
		t.Errorf("error = %s %q, want limit_stack", err.Code, err.Message)
	}
}

func TestLimitsCannotBeCaught(t *testing.T) {
	job := script(`for (;;) { try { for (;;) {} } catch (e) { console.log("caught") } finally { console.log("finally") } }`)
	job.Limits.TimeoutMs = 30
	h := newHost()
	if err := fails(t, job, h); err.Code != toolscript.LimitTime || h.stdout() != "" {
		t.Errorf("Code = %s after %q, want limit_time and no output", err.Code, h.stdout())
	}
}
