package cli_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscript/toolscript/actors/audit"
	"github.com/toolscript/toolscript/internal/texts"
)

// ownAudit gives a world its own data folder, and returns a function that reads its shown lines.
func ownAudit(t *testing.T, w *world) func() []audit.Line {
	t.Helper()
	data := newData(t)
	w.env = append(w.env, "TOOLSCRIPT_DATA_DIR="+data, "SESSION_ID=s1")
	return func() (all []audit.Line) {
		t.Helper()
		if err := audit.ChainLines(filepath.Join(data, "audit"), func(l audit.ChainLine) {
			var line audit.Line
			if l.Type == audit.TypeShown {
				if err := json.Unmarshal(l.Text, &line); err != nil {
					t.Error(err)
				}
				all = append(all, line)
			}
		}); err != nil {
			t.Fatal(err)
		}
		return all
	}
}

// TestShownByMCP compares the audit with the texts that a client of toolscript mcp receives.
func TestShownByMCP(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	w := newWorld(t, map[string]string{"home/.toolscript.json": demoConfig})
	shown := ownAudit(t, w)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), stdio(t, w), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close() //nolint:errcheck // the server reports its end
	listed, err := session.ListTools(t.Context(), nil)
	if err != nil || len(listed.Tools) != 3 {
		t.Fatalf("%+v, %v", listed, err)
	}
	want := []int{
		0, // not compared: the answer contains more than clients show
		called(t, session, "search_tools", map[string]any{"query": "read a file"}),
		called(t, session, "describe_tools", map[string]any{"names": []string{"demo.readFile"}}),
		called(t, session, "run_script", map[string]any{"code": `console.log("hello"); return "word ".repeat(300)`}),
	}
	got := shown()
	if len(got) != 4 {
		t.Fatalf("%d lines: %+v", len(got), got)
	}
	for i, command := range []string{"tools/list", "search_tools", "describe_tools", "run_script"} {
		line := got[i]
		if line.Command != command || line.Session != "s1" || line.Shown.Tokens == nil || want[i] > 0 && *line.Shown.Tokens != want[i] {
			t.Errorf("line %d: %+v %+v, want %s with %d tokens", i, line, line.Shown, command, want[i])
		}
	}
	if n := *got[0].Shown.Tokens; n < 200 || n > 500 {
		t.Errorf("the definitions have %d tokens", n)
	}
	if !strings.HasPrefix(got[3].Run, "run_") {
		t.Errorf("the run of a script is %q", got[3].Run)
	}
}

// called calls a tool and returns the number of tokens of its text.
func called(t *testing.T, s *mcp.ClientSession, name string, args map[string]any) int {
	t.Helper()
	result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil || result.IsError || len(result.Content) != 1 {
		t.Fatalf("%s: %+v, %v", name, result, err)
	}
	return texts.Tokens(result.Content[0].(*mcp.TextContent).Text)
}

// TestShownByCommands: output of commands counts if a program reads it, and not if it goes to a terminal.
func TestShownByCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	w := newWorld(t, map[string]string{"home/.toolscript.json": demoConfig})
	shown := ownAudit(t, w)
	r := w.run(t, "exec", `console.log("hello"); console.error("problem"); return "word ".repeat(300)`)
	n := texts.Tokens(r.stdout + r.stderr)
	got := shown()
	if len(got) != 1 || got[0].Command != "exec" || !strings.HasPrefix(got[0].Run, "run_") || got[0].Shown.Bytes != len(r.stdout+r.stderr) {
		t.Fatalf("%+v", got)
	}
	if counted := *got[0].Shown.Tokens; counted < n-2 || counted > n+2 { // the order of stdout and stderr may differ
		t.Errorf("%d tokens, want about %d", counted, n)
	}
	long := w.run(t, "exec", `return "word ".repeat(100_000)`)
	if got = shown(); len(got) != 2 || got[1].Shown.Bytes < len(long.stdout) || *got[1].Shown.Tokens < 99_000 || *got[1].Shown.Tokens > 101_000 {
		t.Errorf("%+v", got[len(got)-1].Shown)
	}
	w.run(t, "version")
	w.run(t, "usage")
	if code, screen := w.onTerminal(t, 80, "exec", "return 1"); code != 0 {
		t.Errorf("code %d: %s", code, screen)
	}
	if got = shown(); len(got) != 2 {
		t.Errorf("%d lines, want those of exec alone: %+v", len(got), got)
	}
}
