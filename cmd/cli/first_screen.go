package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// firstScreen prints what the program shows without arguments, in at most ten lines: what
// it is, what is configured here, and the next commands.
func firstScreen(a *app.App) error {
	state, next := setUp(a)
	next = append(next, step{"toolscript --help", "lists all commands"})
	var b strings.Builder
	b.WriteString("toolscript runs TypeScript that calls the tools of your MCP servers.\n\n")
	for _, line := range state {
		b.WriteString(terminal.OneLine(line) + "\n")
	}
	b.WriteString("\nNext:\n")
	width := 0
	for i, s := range next {
		next[i].command = a.Again(s.command)
		width = max(width, len(next[i].command))
	}
	for _, s := range next {
		fmt.Fprintf(&b, "  %-*s  # %s\n", width, s.command, s.result)
	}
	_, err := io.WriteString(a.Stdout, b.String())
	return err
}

// step is a command and its result.
type step struct{ command, result string }

// setUp describes the configuration and returns the commands that fit it. It starts no
// server and reads no secret.
func setUp(a *app.App) (state []string, next []step) {
	loaded, err := a.LoadNames()
	if err != nil {
		mistake, _, _ := strings.Cut(err.Error(), "\n")
		return []string{"The configuration cannot be read: " + mistake}, []step{{"toolscript config validate", "lists its mistakes"}}
	}
	started := slices.DeleteFunc(slices.Sorted(maps.Keys(loaded.Servers)), func(name string) bool {
		return slices.Contains(loaded.Untrusted, name)
	})
	line := "Servers: " + cmp.Or(firstNames(started), "none")
	if entries, err := a.Target.Entries(); err == nil && len(entries) > 0 {
		line += " (a gateway is running)"
	}
	state = append(state, line)
	if len(loaded.Untrusted) > 0 {
		state = append(state, "Not started, because you have not trusted the file of this project: "+firstNames(loaded.Untrusted))
		next = append(next, step{"toolscript trust", "shows the file and asks whether to trust it"})
	}
	if len(loaded.Servers) == 0 {
		return state, []step{
			{"toolscript init", "imports the servers of your other MCP clients, or adds a first server"},
			{"toolscript add NAME -- COMMAND", "adds a server that a command starts"},
			{"toolscript add NAME", "adds a server of the MCP Registry"},
		}
	}
	if len(started) == 0 {
		return state, next
	}
	if len(next) == 0 {
		next = append(next, step{"toolscript list-servers", "shows their states"})
	}
	return state, append(next,
		step{"toolscript search 'read a file'", "finds tools for a task"},
		step{"toolscript exec 'return Object.keys(tools)'", "runs a script"},
	)
}

// maxFirstNames is the most names in a line of the first screen.
const maxFirstNames = 8

func firstNames(all []string) string {
	if rest := len(all) - maxFirstNames; rest > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(all[:maxFirstNames], ", "), rest)
	}
	return strings.Join(all, ", ")
}
