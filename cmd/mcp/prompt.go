package mcp

import (
	_ "embed" // for the instructions
	"io"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
)

// promptText tells an agent with a shell how to use the program, in at most 400 tokens.
//
//go:embed prompt.md
var promptText string

// NewPrompt returns the command prompt.
func NewPrompt(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "prompt",
		Short: "Print instructions for an agent that has a shell",
		Long: `Print instructions for an agent that has a shell.

Add them to the instructions of the agent, for example to AGENTS.md:

  toolscript prompt >> AGENTS.md`,
		Args: app.Takes(),
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(a.Stdout, promptText)
			return err
		},
	}
}
