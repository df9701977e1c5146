package mcpclient_test

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/upstream"
)

// warnings collects the warnings that a connection logs.
type warnings struct {
	mu    sync.Mutex
	lines []string
}

func (w *warnings) log(level slog.Level, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if level == slog.LevelWarn {
		w.lines = append(w.lines, text)
	}
}

func (w *warnings) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.lines, "\n")
}

// list returns the tools of a server with the given switches, and the warnings.
func list(t *testing.T, switches ...string) ([]toolscript.Tool, string) {
	t.Helper()
	var w warnings
	tools, err := dial(t, config(t, switches...), upstream.Events{Log: w.log}).ListTools(kit.Within(t))
	if err != nil {
		t.Fatal(err)
	}
	return tools, w.String()
}

func names(tools []toolscript.Tool) []string {
	var out []string
	for _, t := range tools {
		out = append(out, t.Name)
	}
	return out
}

func TestListToolsKeepsEverything(t *testing.T) {
	tools, warned := list(t)
	i := slices.IndexFunc(tools, func(t toolscript.Tool) bool { return t.Name == "add" })
	if i < 0 {
		t.Fatalf("no tool add among %q", names(tools))
	}
	yes, no := true, false
	want := toolscript.Tool{
		Server: "srv", Name: "add", Title: "The tool add", Description: "Adds two numbers; answers with structuredContent.",
		InputSchema:  []byte(`{"type":"object","title":"kept","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`),
		OutputSchema: []byte(`{"type":"object","title":"kept","properties":{"sum":{"type":"number"}},"required":["sum"]}`),
		Annotations:  toolscript.Annotations{ReadOnly: &yes, OpenWorld: &no},
	}
	if diff := cmp.Diff(want, tools[i]); diff != "" {
		t.Errorf("add (-want +got):\n%s", diff)
	}
	if tools[0].OutputSchema != nil {
		t.Errorf("outputSchema of %s = %s, want none", tools[0].Name, tools[0].OutputSchema)
	}
	if warned != "" {
		t.Errorf("warned of %s", warned)
	}
}

func TestListToolsFollowsPages(t *testing.T) {
	whole, _ := list(t)
	paged, warned := list(t, "pages")
	if diff := cmp.Diff(names(whole), names(paged)); diff != "" || warned != "" {
		t.Errorf("two pages (-want +got):\n%s\nwarnings: %s", diff, warned)
	}
}

func TestListToolsEndsWhenTheCursorRepeats(t *testing.T) {
	whole, _ := list(t)
	tools, warned := list(t, "loop")
	if diff := cmp.Diff(names(whole)[:len(whole)/2], names(tools)); diff != "" {
		t.Errorf("repeated page (-want +got):\n%s", diff)
	}
	wantText(t, "warnings", warned, "cursor")
}

func TestServerWithoutTools(t *testing.T) {
	if tools, warned := list(t, "toolless"); len(tools) != 0 || warned != "" {
		t.Errorf("tools %q, warnings %s", names(tools), warned)
	}
}

func TestListToolsKeepsDifficultNames(t *testing.T) {
	tools, _ := list(t, "names")
	for _, want := range []string{"export", "__proto__", "日本", "a-b", "a_b", "a__b", "1st"} {
		if !slices.Contains(names(tools), want) {
			t.Errorf("no tool %q among %q", want, names(tools))
		}
	}
}

func TestListToolsOmitsInvalidEntries(t *testing.T) {
	whole, _ := list(t)
	tools, warned := list(t, "malformed")
	if diff := cmp.Diff(append(names(whole), "odd_but_usable"), names(tools)); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	odd := tools[len(tools)-1]
	if string(odd.InputSchema) != `{"type":"object"}` || odd.OutputSchema != nil {
		t.Errorf("odd_but_usable has schemas %s and %s", odd.InputSchema, odd.OutputSchema)
	}
	wantText(t, "warnings", warned, "left out null", "no name", "its inputSchema",
		`"echo"`, `"odd_but_usable" has no inputSchema`, `annotations of the tool "odd_but_usable"`)
	if got := strings.Count(warned, "\n") + 1; got != 9 {
		t.Errorf("%d warnings, want 9:\n%s", got, warned)
	}
}
