package script_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// tables maps source files to the commands that print their tables.
var tables = map[string][]string{
	"setup/add.go":            {"add"},
	"approvals/approvals.go":  {"approvals"},
	"setup/auth_list.go":      {"auth"},
	"confine/report.go":       {"confine suggest"},
	"gateways/reload_plan.go": {"gateway reload --dry-run"},
	"hub/status.go":           {"status hub"},
	"status/servers.go":       {"list-servers"},
	"tools/list_tools.go":     {"list-tools"},
	"tools/listing.go":        {"resources", "resources templates", "prompts"},
	"approvals/pins.go":       {"pins"},
	"runs/list.go":            {"runs list", "runs show"},
	"runs/diff_command.go":    {"runs diff"},
	"exec/scripts.go":         {"scripts"},
	"tools/search.go":         {"search"},
	"setup/secret_list.go":    {"secret list"},
	"status/command.go":       {"status"},
	"status/gateways.go":      {"status gateways", "gateway list"},
	"status/noun.go":          {"status runs", "status actors", "status sessions"},
	"runs/usage_text.go":      {"usage", "usage --by tool"},
	"terminal/value_table.go": {"exec -o table"},

	"hub/fleet_status.go": nil, // needs NATS servers, which scripts do not start
}

// makesTable matches a terminal.Table, also in its own package.
var makesTable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:\bterminal\.|[^.\w])Table\{`) })

// TestTablesFit checks that a script runs each command that prints a table with fits.
func TestTablesFit(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var ran []string // commands that scripts run with fits
	for _, name := range scripts {
		for line := range strings.Lines(read(t, name)) {
			if _, command, fits := strings.Cut(strings.TrimSpace(line), "exec fits "); fits {
				ran = append(ran, command+" ")
			}
		}
	}
	files, err := filepath.Glob("../../cmd/*/*.go")
	if err != nil || len(files) < 100 {
		t.Fatal(files, err)
	}
	found := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || !makesTable().MatchString(read(t, name)) {
			continue
		}
		found++
		commands, known := tables[strings.TrimPrefix(filepath.ToSlash(name), "../../cmd/")]
		if !known {
			t.Errorf("%s has a table; name the command that prints it here, and run it with fits", name)
		}
		for _, c := range commands {
			if !slices.ContainsFunc(ran, func(command string) bool { return strings.Contains(command, "toolscript "+c+" ") }) {
				t.Errorf("no script runs: exec fits toolscript %s", c)
			}
		}
	}
	if found != len(tables) {
		t.Errorf("%d files have tables, not %d", found, len(tables))
	}
}
