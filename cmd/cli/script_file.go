package cli

import (
	"github.com/spf13/cobra"
)

// runFile is toolscript FILE.ts [args], which is exec -f FILE.ts. Everything after the
// name belongs to the script.
func (a *app) runFile(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	if !a.isScript(args[0]) && !a.isFile(args[0]) {
		return unknownCommand(c, args[0])
	}
	o := newExecOptions(a, c.CommandPath())
	o.file = args[0]
	rest := args[1:]
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	return o.run(c.Context(), rest)
}
