package quickjs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStdin(t *testing.T) {
	tests := []struct {
		name, script string
		chunks       []string
		want         string
	}{
		{"text", `export default await stdin.text()`, []string{"ab", "c\n"}, `"abc\n"`},
		{"text of nothing", `export default await stdin.text()`, nil, `""`},
		{"text twice", `export default [await stdin.text(), await stdin.text()]`, []string{"ab"}, `["ab",""]`},
		{"characters in pieces", `export default await stdin.text()`, []string{"\xf0\x9f", "\x98\x80|\xc3", "\xa9|\xe2\x82"}, `"😀|é|�"`},
		{"bytes that are no text", `export default await stdin.text()`, []string{"a\xff\xfeb"}, `"a��b"`},
		{"json", `export default await stdin.json()`, []string{`{"a":`, `1}`}, `{"a":1}`},
		{
			"lines", `const all = []; for await (const line of stdin.lines()) all.push(line); export default all`,
			[]string{"one\ntw", "o\r\n\nlast"}, `["one","two","","last"]`,
		},
		{
			"a few lines", `for await (const line of stdin.lines()) { console.log(line); break } export default "left"`,
			[]string{"one\ntwo\n"}, `"left"`,
		},
		{
			"lines that are kept", `const it = stdin.lines(); const all = []; for (let i = 0; ; i++) { const p = it.next(); const r = await p; if (r.done) break; if (i % 3 === 0) all.push([p, r, r.value]) }
export default [all.length, new Set(all.flat()).size, all.every(([, r, value]) => r.value === value && !r.done)]`,
			[]string{numbered(300)}, `[100,300,true]`,
		},
		{
			"lines asked for at once", `const it = stdin.lines(); const all = await Promise.all(Array.from({ length: 200 }, () => it.next())); export default [all.filter((r) => !r.done).length, new Set(all.map((r) => r.value)).size, all[199].value]`,
			[]string{numbered(200)}, `[200,200,"199"]`,
		},
		{
			"lines whose results are frozen", `let n = 0; const it = stdin.lines(); for (let r = Object.freeze(await it.next()); !r.done; r = Object.freeze(await it.next())) n += Number(r.value); export default n`,
			[]string{numbered(200)}, `19900`,
		},
		{
			"lines whose results are changed", `const seen = new Set(); const it = stdin.lines(); let n = 0; for (;;) { const p = it.next(); if (p.mine || Object.keys(p).length) n = -1e9; p.mine = 1; const r = await p; if (r.mine || Object.keys(r).join() !== "value,done") n = -1e9; if (r.done) break; n += Number(r.value); r.mine = 1; r.done = true; delete r.value } export default n`,
			[]string{numbered(200)}, `19900`,
		},
		{
			"lines with weak references", `const refs = []; const it = stdin.lines(); for (let i = 0; i < 200; i++) { const r = await it.next(); refs.push([r.value, new WeakRef(r)]) } export default refs.filter(([value, ref]) => (ref.deref()?.value ?? value) !== value).length`,
			[]string{numbered(200)}, `0`,
		},
		{
			"two loops over lines", `const all = []; const loop = async (it) => { for await (const line of it) { all.push(line); await null } }; const it = stdin.lines(); await Promise.all([loop(it), loop(it)]); export default [all.length, new Set(all).size]`,
			[]string{numbered(200)}, `[200,200]`,
		},
		{
			"carriage returns that come late", `const all = []; for await (const line of stdin.lines()) all.push(line); export default all`,
			[]string{"a\nb\nc", "\r\nd\r", "\ne\rf\n"}, `["a","b","c","d","e\rf"]`,
		},
		{"two readers", `export default (await Promise.all([stdin.text(), stdin.text()])).join("").length`, []string{"ab", "cd"}, `4`},
		{"not read", `export default 1`, []string{"ab"}, `1`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := newHost()
			h.stdin = test.chunks
			job := script(`import { stdin } from "toolscript"; ` + test.script)
			job.Stdin = true
			if diff := cmp.Diff(test.want, string(run(t, job, h).Value)); diff != "" {
				t.Errorf("value (-want +got):\n%s", diff)
			}
		})
	}
}

// numbered returns n lines with the numbers from 0.
func numbered(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintln(&text, i)
	}
	return text.String()
}

func TestWithoutStdin(t *testing.T) {
	h := newHost()
	h.stdin = []string{"must not be asked for"}
	out := run(t, script(`import { stdin } from "toolscript"; export default await stdin.text()`), h)
	if string(out.Value) != `""` || len(h.stdin) != 1 {
		t.Errorf("value = %s with %d chunks left, want an empty text that asked for nothing", out.Value, len(h.stdin))
	}
}
