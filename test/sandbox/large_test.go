package sandbox_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
)

// large are scripts with what is very deep or very long, and the line that must be
// in what can be seen of the run. Where QuickJS and Deno differ, deno says how, and
// the comment why.
var large = map[string]struct{ code, want, deno string }{
	"an answer 9,000 levels deep": {code: `return JSON.stringify(await tools.demo.deep({ n: 9_000 })).length`, want: "value 18000"},
	// Go reads 10,000 levels. Deeper text is no JSON for the gateway: it stays text.
	"an answer 100,000 levels deep": {code: `return typeof await tools.demo.deep({ n: 100_000 })`, want: `value "string"`},
	"arguments 5,000 levels deep":   {code: nested(5_000) + `await tools.demo.echo({ a })`, want: "ToolError: demo: read the arguments: it nests deeper than 256 levels"},
	// V8 has the larger stack: it makes JSON of what QuickJS cannot, for the gateway to refuse.
	"arguments 100,000 levels deep": {
		code: nested(100_000) + `await tools.demo.echo({ a })`,
		want: "error limit_stack executing ScriptStackError", deno: "error threw executing ToolError: the arguments nest too deep, or are not JSON",
	},
	"a value 1,000 levels deep":   {code: nested(1_000) + `return a`, want: "value [[[["},
	"a value 100,000 levels deep": {code: nested(100_000) + `return a`, want: "error invalid_result finalizing InvalidResultError: the value of the script nests too deep to be passed on"},
	"an answer of 30 MB":          {code: `return (await tools.demo.big({ mb: 30 })).length`, want: "value 31457280"},
	"an answer of 60 MB":          {code: `await tools.demo.big({ mb: 60 })`, want: "error threw executing ToolError: the answer of demo__big is too long: 62914562 bytes"},
	// The text is there three times before it is sent: QuickJS has no room for that.
	"arguments of 34 MB": {
		code: `await tools.demo.echo({ a: "x".repeat(34 << 20) })`,
		want: "error limit_memory executing ScriptMemoryError", deno: "ToolError: the arguments of demo__echo are too long: 35651592 bytes",
	},
	"a value of 30 MB": {code: `return "x".repeat(30 << 20)`, want: "error limit_output finalizing ScriptOutputError: the script's value is 31457282 bytes"},
	// QuickJS knows that it was making the value; a Deno that is full is gone.
	"a value of 60 MB": {
		code: `return "x".repeat(60 << 20)`,
		want: "error limit_memory finalizing ScriptMemoryError", deno: "error limit_memory executing ScriptMemoryError",
	},
}

func nested(levels int) string {
	return "let a: any = []; for (let i = 1; i < " + strconv.Itoa(levels) + "; i++) a = [a]; "
}

// TestLarge: what is too much for an engine, or for the way between, ends in an
// error with a kind, and the next run finds everything as ever.
func TestLarge(t *testing.T) {
	g := newGateway(t, "deep", "big")
	for name, c := range large {
		for _, engine := range engines {
			t.Run(name+" on "+engine, func(t *testing.T) {
				want := c.want
				if engine == toolscript.EngineDeno && c.deno != "" {
					want = c.deno
				}
				request := toolscript.ExecRequest{
					Code: `import { tools } from "toolscript"; ` + c.code, Engine: engine, Check: toolscript.CheckOff,
					Limits: toolscript.Limits{TimeoutMs: 60_000},
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
