package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/exec"
)

// runRoot runs toolscript without a command: it prints the version, or the first screen, or runs a script.
func runRoot(a *app.App, c *cobra.Command, args []string) error {
	// cobra would print the version with a template; see docs/design/processes.md.
	if version, err := c.Flags().GetBool("version"); version || err != nil {
		return cmp.Or(err, a.Print("toolscript %s", toolscript.Version))
	}
	if len(args) == 0 {
		return firstScreen(a)
	}
	return runFile(a, c, args)
}

// runFile runs toolscript FILE.ts [args], which means exec -f FILE.ts. Everything after the name of the file
// belongs to the script.
func runFile(a *app.App, c *cobra.Command, args []string) error {
	if !exec.IsScript(a.Dir, args[0]) && !exec.IsFile(a.Dir, args[0]) {
		return app.UnknownCommand(c, args[0])
	}
	o := exec.NewOptions(a, c.CommandPath())
	o.Script.File = args[0]
	rest := args[1:]
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	return o.Run(c.Context(), rest)
}
