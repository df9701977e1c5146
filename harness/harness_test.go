package harness_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/harness/answer"
)

func block(code string) string { return "<tool-calls>" + code + "</tool-calls>" }

// TestConversationHistoryRecords checks the items in their order: text before, the
// script, its output, text after.
func TestConversationHistoryRecords(t *testing.T) {
	items := process(t, "Before.\n"+block("\nconst { sum } = await tools.workspace.add({ a: 1, b: 2 });\nreturn { sum };\n")+"\nAfter.", harness.Options{})
	var shown []string
	for _, item := range items {
		switch i := item.(type) {
		case harness.Text:
			shown = append(shown, fmt.Sprintf("text %q", i.Text))
		case harness.ScriptToolCall:
			if !strings.HasPrefix(i.ScriptID, "scr_") {
				t.Errorf("id %q", i.ScriptID)
			}
			shown = append(shown, fmt.Sprintf("script %d-%d", i.Start.Offset, i.End.Offset))
		case harness.ScriptToolCallOutput:
			shown = append(shown, fmt.Sprintf("output %v %s calls %d", i.OK, i.Value, len(i.ToolCalls)))
			if len(i.ToolCalls) == 1 {
				c := i.ToolCalls[0]
				shown = append(shown, fmt.Sprintf("  %s %s %s %v", c.Tool, c.Args, c.Result, c.OK))
			}
			if i.Metrics == nil || i.Metrics.ToolCallsMade != 1 || i.Metrics.DurationMs <= 0 || i.Metrics.MemoryUsedMB <= 0 {
				t.Errorf("metrics %+v", i.Metrics)
			}
			if i.Script == nil || !i.Script.HasReturn || !cmp.Equal(i.Script.Tools, []string{"workspace.add"}) {
				t.Errorf("script %+v", i.Script)
			}
		case harness.ToolCallStart:
			shown = append(shown, "start "+i.Tool)
		case harness.ToolCallEnd:
			shown = append(shown, fmt.Sprintf("end %s %v", i.Tool, i.OK))
		}
	}
	want := []string{
		`text "Before.\n"`, "script 8-109", "start workspace__add", "end workspace__add true",
		`output true {"sum":3} calls 1`, `  workspace__add {"a":1,"b":2} {"sum":3} true`, `text "\nAfter."`,
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

// TestMultipleBlocks checks that blocks run one after the other, and that an error in one
// does not stop the next.
func TestMultipleBlocks(t *testing.T) {
	found := outputs(process(t, block("return 1")+block("throw new Error('no')")+" mid "+block("return (")+block("a <tool-calls> b")+block("return 5")+"<tool-calls>return 6", harness.Options{}))
	var shown []string
	for _, o := range found {
		line := string(o.Value)
		if o.Error != nil {
			line = o.Error.Code + " " + o.Error.Phase
		}
		shown = append(shown, line)
	}
	want := []string{"1", "Error executing", "ScriptParseError parsing", "ScriptParseError parsing", "5", "ScriptParseError parsing"}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	ids := map[string]bool{}
	for _, o := range found {
		ids[o.ScriptID] = true
	}
	if len(ids) != len(found) {
		t.Errorf("ids %v", ids)
	}
}

// TestPositionsFromTheStartOfTheMessage checks positions in errors and stack traces.
func TestPositionsFromTheStartOfTheMessage(t *testing.T) {
	message := strings.Repeat("line\n", 13) + block("\n\n  return ((;\n")
	o := outputs(process(t, message, harness.Options{}))[0]
	if o.Error == nil || !strings.HasPrefix(o.Error.Message, "<tool-calls>:16:12: ") {
		t.Errorf("syntax error %+v", o.Error)
	}
	if len(o.Error.Findings) == 0 || o.Error.Findings[0].Line != 16 || o.Error.Findings[0].Column != 12 {
		t.Errorf("findings %+v", o.Error.Findings)
	}
	o = outputs(process(t, "a "+block("require('fs')")+"\n", harness.Options{}))[0]
	if o.Error == nil || !strings.HasPrefix(o.Error.Message, "<tool-calls>:1:15: require is not allowed") {
		t.Errorf("banned %+v", o.Error)
	}
	o = outputs(process(t, "a\nb "+block("```ts\nconst f = () => { throw new TypeError('no') }\nf()\n```"), harness.Options{}))[0]
	if o.Error == nil || o.Error.Code != "TypeError" || !strings.Contains(o.Error.Stack, "<tool-calls>:3:25") || !strings.Contains(o.Error.Stack, "<tool-calls>:4:1") {
		t.Errorf("stack %+v", o.Error)
	}
	if o.Error != nil && (strings.Contains(o.Error.Stack, "/") || o.Error.Phase != "executing" || o.Error.ScriptID != o.ScriptID) {
		t.Errorf("error %+v", o.Error)
	}
	o = outputs(process(t, "a\n\n"+block("return await tools.workspace.add({ a: '1', b: 2 })"), harness.Options{}))[0]
	if o.Error == nil || o.Error.Code != "ScriptCheckError" || o.Error.Phase != "parsing" || !strings.HasPrefix(o.Error.Message, "<tool-calls>:3:") {
		t.Errorf("type error %+v", o.Error)
	}
}

// TestParse checks the result of parsing: success, script and error.
func TestParse(t *testing.T) {
	g := localGateway(t)
	good, err := harness.Parse(t.Context(), g, "const x = await tools.workspace.add({ a: 1, b: 2 });\nreturn x.sum", answer.Position{})
	if err != nil {
		t.Fatal(err)
	}
	if s := good.Script; !good.Success || s == nil || !s.HasReturn || !cmp.Equal(s.Metadata.Tools, []string{"workspace.add"}) || s.Metadata.MayUseAll {
		t.Errorf("parsed %+v", good)
	}
	again, err := harness.Parse(t.Context(), g, good.Script.SourceCode, answer.Position{Line: 7, Column: 3})
	if err != nil || !again.Success || !again.Script.Metadata.Cached {
		t.Errorf("parsed again %+v, %v", again, err)
	}
	for name, test := range map[string]struct{ code, want string }{
		"syntax":                    {"const = 1", "<tool-calls>:15:9: "},
		"banned require":            {"return require('a')", "<tool-calls>:15:10: require is not allowed"},
		"banned import":             {"import 'a'", "<tool-calls>:15:3: import is not allowed"},
		"banned eval":               {"\neval('a')", "<tool-calls>:16:1: eval is not allowed"},
		"banned new Function":       {"new Function('a')", "<tool-calls>:15:7: new Function is not allowed"},
		"UTF-8 encoding":            {"return '\xff'", "UTF-8"},
		"Script size":               {"/*" + strings.Repeat("a", 20<<10) + "*/", "at most 20480 are allowed"},
		"unknown tool":              {"return tools.workspace.nothing({})", "<tool-calls>:15:26: "},
		"hostile nesting":           {strings.Repeat("!", 19_000) + "(", "<tool-calls>:15:19004: "},
		"banned in a template only": {"return `${eval('1')}`", "<tool-calls>:15:13: eval is not allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := harness.Parse(t.Context(), g, test.code, answer.Position{Offset: 100, Line: 15, Column: 3})
			if err != nil || got.Success || got.Script != nil || !strings.Contains(got.Error, test.want) {
				t.Errorf("%+v, %v; want %q", got, err, test.want)
			}
		})
	}
	whole, err := harness.Parse(t.Context(), g, "/*"+strings.Repeat("a", 20<<10-4)+"*/", answer.Position{})
	if err != nil || !whole.Success || whole.Script.HasReturn {
		t.Errorf("a script of 20 KB: %+v, %v", whole.Error, err)
	}
	size, err := harness.Parse(t.Context(), g, strings.Repeat(" ", 20<<10+1), answer.Position{})
	if err != nil || size.Cause == nil || size.Cause.Code != "ScriptSizeError" {
		t.Errorf("size: %+v, %v", size, err)
	}
}

// TestOrphanedPromiseCleanup checks that calls without await are cancelled after the script, and
// that the script then counts as failed. The output keeps its value.
func TestOrphanedPromiseCleanup(t *testing.T) {
	for name, code := range map[string]string{
		"alone":      "tools.workspace.wait({}); return 1",
		"a function": "async function main() { await tools.workspace.wait({}); await tools.workspace.note({ text: 'x' }) } main(); return 1",
		"a callback": "[1].forEach(async () => { await tools.workspace.wait({}) }); return 1",
		"a race":     "return await Promise.race([tools.workspace.wait({}), tools.workspace.add({ a: 1, b: 0 }).then((r) => r.sum)])",
	} {
		t.Run(name, func(t *testing.T) {
			o := ran(t, code)
			e := o.Error
			if o.OK || string(o.Value) != "1" || e == nil || e.Code != "DetachedPromiseError" || e.Phase != "finalizing" || e.Kind != toolscript.Cancelled {
				t.Fatalf("output %+v, error %+v", o, e)
			}
			if e.ToolName != "workspace__wait" || e.CallID != "1" || !strings.Contains(e.Message, "workspace__wait") {
				t.Errorf("error %+v", e)
			}
		})
	}
	if got := noted(); len(got) > 0 {
		t.Errorf("calls were made: %q", got)
	}
}

// TestCallsWithoutAwait checks that a script with calls without await succeeds only if all of
// them end within a short time after the script.
func TestCallsWithoutAwait(t *testing.T) {
	noted()
	for _, code := range []string{
		"[1, 2, 3, 4, 5].forEach(async (n) => { await tools.workspace.add({ a: n, b: 0 }); await tools.workspace.note({ text: String(n) }) })",
		"async function main() { for (const n of [1, 2, 3, 4, 5]) await tools.workspace.note({ text: String(n) }) } main()",
	} {
		o := ran(t, code)
		if got := noted(); o.OK && len(got) != 5 || !o.OK && (o.Error == nil || o.Error.Code != "DetachedPromiseError") {
			t.Errorf("%s: %v after %d of 5 calls, error %+v", code, o.OK, len(got), o.Error)
		}
	}
}

// TestModes checks disabled and dry-run.
func TestModes(t *testing.T) {
	noted()
	text := "a " + block("await tools.workspace.note({ text: 'x' }); return 1") + " b"
	items := process(t, text, harness.Options{Mode: harness.Disabled})
	if diff := cmp.Diff([]harness.Item{harness.Text{Type: "text", Text: text}}, items); diff != "" {
		t.Errorf("disabled (-want +got):\n%s", diff)
	}
	o := outputs(process(t, text, harness.Options{Mode: harness.DryRun}))[0]
	if !o.OK || !o.DryRun || o.Value != nil || !cmp.Equal(o.Script.Tools, []string{"workspace.note"}) {
		t.Errorf("dry run %+v", o)
	}
	bad := outputs(process(t, block("return tools.workspace.note({ text: 1 })"), harness.Options{Mode: harness.DryRun}))[0]
	if bad.OK || bad.Error == nil || bad.Error.Code != "ScriptCheckError" {
		t.Errorf("dry run of a wrong script %+v", bad)
	}
	plan := outputs(process(t, block("const { sum } = await tools.workspace.add({ a: 1, b: 1 }); await tools.workspace.note({ text: String(sum) }); return sum"), harness.Options{Plan: true}))[0]
	if !plan.OK || len(plan.Plan) != 1 || plan.Plan[0].Tool != "workspace__note" || string(plan.Plan[0].Args) != `{"text":"2"}` {
		t.Errorf("plan %+v", plan)
	}
	for _, mode := range []harness.Mode{harness.DryRun, harness.Enabled} {
		call := answer.Answer{API: answer.Messages, Parts: []answer.Part{{Call: &answer.Call{ID: "1", Name: "workspace__note", Args: json.RawMessage(`{"text":"y"}`)}}}}
		processed(t, call, harness.Options{Mode: mode, Plan: mode == harness.Enabled})
	}
	if got := noted(); len(got) > 0 {
		t.Errorf("calls were made: %q", got)
	}
	if _, err := harness.ParseMode("on"); err == nil {
		t.Error("mode on was accepted")
	}
}

// TestStructuredCalls checks calls of the three APIs, paired by their ids, and calls that
// cannot be made.
func TestStructuredCalls(t *testing.T) {
	call := func(id, name, args string) answer.Part {
		return answer.Part{Call: &answer.Call{ID: id, Name: name, Args: json.RawMessage(args)}}
	}
	parts := []answer.Part{
		call("c1", "workspace__add", `{"a":1,"b":2}`), call("c2", "workspace.add", `{"a":2,"b":2}`), call("c3", "add", `{"a":3,"b":2}`),
		call("c4", "fail", `{}`), call("c5", "nothing", `{}`), call("c6", "add", `{"a":"x","b":2}`),
		{Call: &answer.Call{ID: "c7", Name: "add", Problem: "the arguments are not a JSON object"}},
	}
	starts := []string{`{"sum":3}`, `{"sum":4}`, `{"sum":5}`, "error: the disk is full", "error: ", "error: ", "error: the arguments are not a JSON object"}
	for _, api := range []answer.API{answer.Responses, answer.Chat, answer.Messages} {
		for i, item := range processed(t, answer.Answer{API: api, Parts: parts}, harness.Options{}) {
			var id, text string
			failed := i > 2
			switch o := item.(type) {
			case harness.FunctionCallOutput:
				id, text = o.CallID, o.Output
			case harness.ToolMessage:
				id, text = o.ToolCallID, o.Content
			case harness.ToolResult:
				id, text = o.ToolUseID, o.Content
				if o.IsError != failed {
					t.Errorf("%s: is_error of %s is %v", api, id, o.IsError)
				}
			}
			if id != parts[i].Call.ID || !strings.HasPrefix(text, starts[i]) {
				t.Errorf("%s: %s is answered by %s %q, want %q", api, parts[i].Call.ID, id, text, starts[i])
			}
		}
	}
}

// TestEmitEndsProcess checks that an error of emit ends the script that runs.
func TestEmitEndsProcess(t *testing.T) {
	stop := fmt.Errorf("enough")
	a := answer.Answer{API: answer.Chat, Parts: []answer.Part{{Text: &answer.Text{Text: block("await tools.workspace.wait({})") + block("return 1")}}}}
	n := 0
	err := harness.Process(t.Context(), localGateway(t), a, harness.Options{}, func(item harness.Item) error {
		if _, began := item.(harness.ToolCallStart); began {
			return stop
		}
		n++
		return nil
	})
	if !errors.Is(err, stop) || n != 1 {
		t.Errorf("%v after %d items", err, n)
	}
}
