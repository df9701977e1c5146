package sandbox_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/pace"
)

// large are scripts with very deep or very long values, and a line that the result must contain. If
// QuickJS and Deno differ, deno is the line of Deno, and the comment says why.
var large = map[string]struct{ code, want, deno string }{
	"an answer 9,000 levels deep": {code: `return JSON.stringify(await tools.demo.deep({ n: 9_000 })).length`, want: "value 18000"},
	// Go's JSON decoder reads 10,000 levels. The gateway treats a deeper answer as plain text.
	"an answer 100,000 levels deep": {code: `return typeof await tools.demo.deep({ n: 100_000 })`, want: `value "string"`},
	"arguments 5,000 levels deep":   {code: nested(5_000) + `await tools.demo.echo({ a })`, want: "error invalid executing ToolError: demo__echo: "},
	"code 5,000 levels deep":        {code: "return " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000), want: "error limit_stack"},
	"arguments 100,000 levels deep": {code: nested(100_000) + `await tools.demo.echo({ a })`, want: "error limit_stack executing ScriptStackError"},
	"a value 1,000 levels deep":     {code: nested(1_000) + `return a`, want: "value [[[["},
	"a value 100,000 levels deep":   {code: nested(100_000) + `return a`, want: "error invalid_result finalizing InvalidResultError: "},
	"an answer of 30 MB":            {code: `return (await tools.demo.big({ mb: 30 })).length`, want: "value 31457280"},
	"an answer of 60 MB":            {code: `await tools.demo.big({ mb: 60 })`, want: "error too_large executing ToolError: the answer of demo__big is too long: 62914562 bytes"},
	// The text exists three times before it is sent, for which QuickJS has no memory.
	"arguments of 34 MB": {
		code: `await tools.demo.echo({ a: "x".repeat(34 << 20) })`,
		want: "error limit_memory executing ScriptMemoryError", deno: "ToolError: the arguments of demo__echo are too long: 35651592 bytes",
	},
	"a value of 30 MB": {code: `return "x".repeat(30 << 20)`, want: "error limit_output finalizing ScriptOutputError: the script's value is 31457282 bytes"},
	// QuickJS reports that its memory is full while it builds the value. Deno ends its process when its
	// memory is full.
	"a value of 60 MB": {
		code: `return "x".repeat(60 << 20)`,
		want: "error limit_memory finalizing ScriptMemoryError", deno: "error limit_memory executing ScriptMemoryError",
	},
}

func nested(levels int) string {
	return "let a: any = []; for (let i = 1; i < " + strconv.Itoa(levels) + "; i++) a = [a]; "
}

// TestLarge: values that are too large for an engine or for the protocol cause an error with a kind, and
// do not affect the next run.
func TestLarge(t *testing.T) {
	g := newGateway(t, "deep", "big")
	for name, c := range large {
		if testing.Short() && name != "a value of 30 MB" {
			continue
		}
		for _, engine := range engines {
			if testing.Short() && engine == toolscript.EngineDeno {
				continue
			}
			t.Run(name+" on "+engine, func(t *testing.T) {
				want := c.want
				if engine == toolscript.EngineDeno && c.deno != "" {
					want = c.deno
				}
				request := toolscript.ExecRequest{
					Code:   `import { tools } from "toolscript"; ` + c.code,
					Limits: toolscript.Limits{TimeoutMs: pace.Limit(2 * time.Minute).Milliseconds(), CPUMs: pace.Limit(time.Minute).Milliseconds()},
					Rules:  toolscript.Rules{Engine: engine, Check: toolscript.CheckOff},
				}
				if got := g.exec(t, request, "").String(); !strings.Contains(got, want) {
					t.Errorf("%.500s\nwant %s", got, want)
				}
				request.Code = "return 1"
				if r := g.exec(t, request, ""); !r.end.OK {
					t.Errorf("the next run: %s", r)
				}
			})
		}
	}
}
