package quickjs_test

import (
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

func TestWithoutStdin(t *testing.T) {
	h := newHost()
	h.stdin = []string{"must not be asked for"}
	out := run(t, script(`import { stdin } from "toolscript"; export default await stdin.text()`), h)
	if string(out.Value) != `""` || len(h.stdin) != 1 {
		t.Errorf("value = %s with %d chunks left, want an empty text that asked for nothing", out.Value, len(h.stdin))
	}
}
