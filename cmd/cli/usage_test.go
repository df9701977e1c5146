package cli_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/cli"
)

var (
	child = regexp.MustCompile(`(?m)^  ([a-z-]+) {2,}\S`)
	// silent lists the commands without --json: their output is for people, shells or
	// MCP clients, or is always JSON.
	silent = []string{"toolscript agent", "toolscript harness", "toolscript help", "toolscript completion", "toolscript mcp", "toolscript prompt"}
)

// Every other command has --json, and all but exec and run have -o table|json too.
func TestEveryCommandPrintsJSON(t *testing.T) {
	w := newWorld(t, nil)
	commands := 0
	var visit func(path ...string)
	visit = func(path ...string) {
		name := strings.Join(append([]string{"toolscript"}, path...), " ")
		for _, s := range silent {
			if name == s || strings.HasPrefix(name, s+" ") {
				return
			}
		}
		help := w.run(t, append(path, "--help")...).stdout
		children, has := listed(help)
		for _, c := range child.FindAllStringSubmatch(children, -1) {
			visit(append(append([]string{}, path...), c[1])...)
		}
		if has && strings.Contains(help, "\n  "+name+" [flags]\n") || len(path) == 0 {
			return // a group of commands
		}
		commands++
		if !strings.Contains(help, " --json ") || !regexp.MustCompile(`-o, --output (table\|(types\|)?json|json\|table\|raw) `).MatchString(help) {
			t.Errorf("%s has no --json or no -o json:\n%s", name, help)
		}
	}
	visit()
	if commands < 20 {
		t.Errorf("%d commands were found, want 20 or more", commands)
	}
}

// TestArgumentsOfEveryCommand: each command takes any number of arguments or says that there are too many or too few.
func TestArgumentsOfEveryCommand(t *testing.T) {
	unexpected := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for n := range 5 {
			err := c.ValidateArgs([]string{"1", "2", "3", "4"}[:n])
			if err != nil && strings.HasPrefix(err.Error(), "unexpected argument ") {
				unexpected++
			}
		}
		for _, child := range c.Commands() {
			visit(child)
		}
	}
	visit(cli.Commands())
	if unexpected == 0 {
		t.Error("no command refuses an argument")
	}
}

// listed returns the list of commands in a help text, without the flags.
func listed(help string) (children string, has bool) {
	children, _, _ = strings.Cut(help, "\nFlags:\n")
	if _, list, found := strings.Cut(children, "\nAvailable Commands:\n"); found {
		return list, true
	}
	_, list, found := strings.Cut(children, "\nRun scripts and calls:\n")
	return list, found
}
