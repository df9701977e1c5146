package demo

import (
	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
)

// New makes the command of the MCP server in the examples. The server has no dependencies.
func New(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:    "mcp-demo [FOLDER]",
		Short:  "Serve read-only tools over a folder, as an MCP server on stdio",
		Hidden: true,
		Args:   app.Takes("[FOLDER]"),
		RunE: func(c *cobra.Command, args []string) error {
			folder := a.Dir
			if len(args) > 0 {
				folder = a.Absolute(args[0])
			}
			return Serve(c.Context(), folder, a.Stdin, a.Stdout)
		},
	}
}
