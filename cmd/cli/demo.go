package cli

import (
	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/demo"
)

// newDemo makes the command of the MCP server in the examples. The server has no dependencies.
func newDemo(a *App) *cobra.Command {
	return &cobra.Command{
		Use:    "mcp-demo [FOLDER]",
		Short:  "Serve read-only tools over a folder, as an MCP server on stdio",
		Hidden: true,
		Args:   takes("[FOLDER]"),
		RunE: func(c *cobra.Command, args []string) error {
			folder := a.Dir
			if len(args) > 0 {
				folder = a.Absolute(args[0])
			}
			return demo.Serve(c.Context(), folder, a.Stdin, a.Stdout)
		},
	}
}
