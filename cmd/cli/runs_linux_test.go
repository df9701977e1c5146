package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/terminal"
)

// At a terminal, runs show draws the calls of a run over time, in 60 columns or more, at most the first 40.
func TestRunsShowAtATerminal(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": demoConfig})
	w.env = append(w.env, "TOOLSCRIPT_DATA_DIR="+newData(t))
	if r := w.run(t, "exec", `await tools.demo.tree({}); try { await tools.demo.readFile({ path: "none" }) } catch {}`); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	if r := w.run(t, "exec", `for (let i = 0; i < 45; i++) await tools.demo.tree({});`); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	ids := regexp.MustCompile(`run_[0-9a-f]+`).FindAllString(w.run(t, "runs", "list").stdout, -1)
	if len(ids) != 2 {
		t.Fatalf("runs %q", ids)
	}
	for _, columns := range []int{60, 100} {
		code, screen := w.onTerminal(t, columns, "runs", "show", ids[1])
		for line := range strings.Lines(screen) {
			if n := terminal.Width(strings.TrimSuffix(line, "\n")); n > columns && !strings.Contains(line, ids[1]) {
				t.Errorf("%d columns: %q", columns, line)
			}
		}
		if code != 0 || !regexp.MustCompile(`(?m)^1    demo__tree +░*█+`).MatchString(screen) || !regexp.MustCompile(`(?m)^2    demo__read_file.*x +[0-9.]+ ms$`).MatchString(screen) ||
			!strings.Contains(screen, "2 calls, up to 1 at a time, 1 failed\n") || strings.Contains(screen, "Arguments") != (columns == 100) || !strings.Contains(screen, "tool_failed") {
			t.Errorf("%d\n%s", code, screen)
		}
	}
	code, screen := w.onTerminal(t, 80, "runs", "show", ids[0])
	if n := strings.Count(screen, "demo__tree"); code != 0 || n != 80 || !strings.Contains(screen, "5 more calls are not shown; list all with: toolscript runs show "+ids[0]+" | cat\n") {
		t.Errorf("%d, %d rows:\n%s", code, n, screen)
	}
	// For a program, each call is on one line.
	if r := w.run(t, "runs", "show", ids[0]); strings.Count(r.stdout, "demo__tree") != 45 || strings.Contains(r.stdout, "█") {
		t.Errorf("%+v", r)
	}
	file := filepath.Join(t.TempDir(), "run.html")
	if r := w.run(t, "runs", "show", ids[0], "--html", file); r.code != 0 || r.stdout != "" {
		t.Errorf("%+v", r)
	}
	text, err := os.ReadFile(file)
	info, err2 := os.Stat(file)
	if err != nil || err2 != nil || strings.Count(string(text), "<details") != 45 || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v, %v\n%s", fmt.Sprint(err), err2, info, text)
	}
}
