package cli

import (
	_ "embed" // for the instructions
	"io"

	"github.com/spf13/cobra"
)

// instructions tell an agent with a shell how to use the program, in at most 400
// tokens.
//
//go:embed prompt.md
var instructions string

func newPrompt(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "prompt",
		Short: "Print instructions for an agent that has a shell",
		Long: `Print instructions for an agent that has a shell.

Add them to the instructions of the agent, for example to AGENTS.md:

  toolscript prompt >> AGENTS.md`,
		Args: takes(),
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(a.Stdout, instructions)
			return err
		},
	}
}
