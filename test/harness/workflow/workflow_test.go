//go:build integration && linux

package workflow_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/cmd/cli"
	"github.com/toolscript/toolscript/test/harness"
	"github.com/toolscript/toolscript/test/harness/workflow"
)

// TestMain makes the test binary act as the helpers that the gateway starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "__") {
		os.Exit(cli.Main())
	}
	os.Exit(m.Run())
}

// TestWorkflows plays each workflow in both ways: the specification's "Fix Failing Tests" and nine others.
// Both ways must do the task and leave the same files; a script does it in one turn. The test has no
// short form, because each workflow is a different conversation.
func TestWorkflows(t *testing.T) {
	docs, err := os.ReadFile("../../../docs/harness.md")
	if err != nil {
		t.Fatal(err)
	}
	all, err := workflow.All()
	if err != nil || len(all) != 10 || all[0].Name != "fix-failing-tests" {
		t.Fatalf("%d workflows, %v", len(all), err)
	}
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin", "toolscript")
	if err := os.Mkdir(filepath.Dir(bin), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := harness.Build(bin, false); err != nil {
		t.Fatal(err)
	}
	s, err := workflow.Open(t.Context(), bin, filepath.Join(dir, "scene"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	for i, w := range all {
		if testing.Short() && i%4 != 1 {
			continue
		}
		t.Run(w.Name, func(t *testing.T) {
			script, err := s.Script(w)
			if err != nil {
				t.Fatalf("with a script: %v", err)
			}
			structured, err := s.Structured(w)
			if err != nil {
				t.Fatalf("with structured calls: %v", err)
			}
			if diff := cmp.Diff(structured.Tree, script.Tree); diff != "" {
				t.Errorf("files (-structured +script):\n%s", diff)
			}
			if script.Turns != 1 || structured.Turns < 3 || script.Calls < 2 || structured.Calls < 2 {
				t.Errorf("script: %d turns, %d calls; structured: %d turns, %d calls", script.Turns, script.Calls, structured.Turns, structured.Calls)
			}
			if asked := approvals(script); asked == 0 || script.Approved != asked || structured.Approved != approvals(structured) {
				t.Errorf("allowed %d of %d calls of the script, %d of %d structured calls", script.Approved, asked, structured.Approved, approvals(structured))
			}
			row := fmt.Sprintf("| %s | %d / %d | %d / %d | %d / %d | ", w.Name,
				script.Turns, structured.Turns, script.Calls, structured.Calls, len(strings.Join(script.Written, "")), len(strings.Join(structured.Written, "")))
			if !strings.Contains(string(docs), row) {
				t.Errorf("docs/harness.md has no row %s…; run: task harness-table", row)
			}
			if w.Name == "fix-failing-tests" {
				fixed(t, script, w)
			}
		})
	}
}

// approvals returns the number of calls that a person must allow.
func approvals(r workflow.Result) (n int) {
	if r.Turns > 1 {
		for _, written := range r.Written {
			n += strings.Count(written, `"name":"exec"`) + strings.Count(written, `"name":"applyPatch"`)
		}
		return n
	}
	for _, item := range r.Items {
		n += strings.Count(string(item), `"tool":"workspace__exec"`) + strings.Count(string(item), `"tool":"workspace__applyPatch"`)
	}
	return n
}

// fixed checks the parts of the conversation in the specification's workflow: text, the script, its
// output, and text again.
func fixed(t *testing.T, r workflow.Result, w workflow.Workflow) {
	t.Helper()
	const value = `{"testsFixed":3,"failed":["accepts any case of the scheme","ends a token at its last second","finds a scope among several"],"allPassing":true,"patchApplied":true}`
	if string(r.Value) != value {
		t.Errorf("value\n%s\nwant\n%s", r.Value, value)
	}
	before, rest, _ := strings.Cut(w.Script, "<tool-calls>")
	code, after, _ := strings.Cut(rest, "</tool-calls>")
	var got []string
	for _, raw := range r.Items {
		var item struct {
			Type, Text, SourceCode string
			ToolCalls              []struct{ Tool string }
		}
		if err := json.Unmarshal(raw, &item); err != nil {
			t.Fatal(err)
		}
		got = append(got, item.Type+" "+item.Text+item.SourceCode+fmt.Sprint(len(item.ToolCalls)))
	}
	want := []string{"text " + before + "0", "ScriptToolCall " + strings.TrimSpace(code) + "0", "ScriptToolCallOutput 15", "text " + after + "0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}
