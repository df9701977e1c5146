package deno_test

import (
	"testing"
)

func TestRun(t *testing.T) {
	e := newEngine(t)
	h := &host{}
	out := run(t, e, job(t, `import { tools, cwd, args } from "toolscript"; console.log("hi", {a:1}, new Map([[1,2]]), Object.keys(tools)); const x: number = 1;
const r = await tools.github.createIssue({ title: "x" }); try { tools.github.nope } catch (e) { console.log(e.stack) } 
console.log(typeof fetch, typeof Deno.readTextFile, cwd(), Deno.cwd());
return r`), h)
	t.Logf("%s %+v %+v\n%s%s%v", out.Value, out.Err, out, h.stdout(), h.stderr(), h.calls)
}
