package quickjs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

func TestForgedErrorsAreErrorsOfTheScript(t *testing.T) {
	err := fails(t, script(`const e = new TypeError("x"); e.name = "InvalidResultError"; e.code = "limit_time"; throw e`), newHost())
	if err.Code != toolscript.Threw {
		t.Errorf("Code = %s, want threw", err.Code)
	}
}

func TestValueTooLarge(t *testing.T) {
	job := script(`export default "x".repeat(1000)`)
	job.Limits.ValueBytes = 1001
	err := fails(t, job, newHost())
	if err.Code != toolscript.LimitOutput || !strings.Contains(err.Message, "1002 bytes") || !strings.Contains(err.Message, "1001") {
		t.Errorf("error = %s %q, want limit_output with both sizes", err.Code, err.Message)
	}
	job.Limits.ValueBytes = 1002
	run(t, job, newHost())
}

// FuzzText passes the text of a tool through a script: to its output, and back as its value.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"", "a\x00b", "é😀", "\u2028\ufeff", `"\\`, "</script>", "__proto__"} {
		f.Add(seed)
	}
	vm := newVM(f)
	f.Fuzz(func(t *testing.T, text string) {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		h := newHost()
		h.tool = func(runner.Call) (json.RawMessage, *toolscript.ToolError) { return quoted, nil }
		out := vm.Run(t.Context(), script(imports+`const r = await tools.github.createIssue({}); console.log(r); export default r`), h)
		var got string
		if err := json.Unmarshal(out.Value, &got); err != nil || out.Err != nil {
			t.Fatalf("%q gave %s: %v, %+v", text, out.Value, err, out.Err)
		}
		want := strings.ToValidUTF8(text, "\ufffd")
		if json.Unmarshal(quoted, &want) != nil || got != want || h.stdout() != want+"\n" {
			t.Errorf("%q came back as %q and was printed as %q", want, got, h.stdout())
		}
	})
}
