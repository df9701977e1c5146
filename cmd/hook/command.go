// Package hook reads and answers the hooks of Claude Code: JSON on standard input, JSON on
// standard output. It decides which shell commands of an agent run without a question to the
// person, and finds the tools that a person's prompt needs. It suggests no tool unless it is
// sure.
package hook

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// New makes the command with the hooks of the Claude Code plugin. No hook ends with exit code 2, because
// the client would then block the tool call or the prompt.
func New(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:                "hook EVENT",
		Short:              "Answer a hook of the Claude Code plugin",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			if asksForHelp(args) {
				return c.Help()
			}
			a.Say("toolscript: this version does not know this hook of the plugin; update toolscript")
			return &app.Error{Code: app.Failure}
		},
		PersistentPreRunE: func(c *cobra.Command, args []string) error {
			if err := a.Prepare(c, args); err != nil {
				a.Say("toolscript: %v", err)
				return &app.Error{Code: app.Failure}
			}
			return nil
		},
	}
	c.AddCommand(
		hookCommand(a, "pre-tool-use", preToolUse),
		hookCommand(a, "session-start", sessionStart),
		hookCommand(a, "session-end", sessionEnd),
		newHookUserPrompt(a),
	)
	return c
}

// hookCommand makes the command of one hook. It reads JSON from stdin and writes an answer to stdout.
func hookCommand(a *app.App, name string, answer func(context.Context, *app.App, Event) error) *cobra.Command {
	return &cobra.Command{
		Use:                name,
		Short:              "Answer the hook " + name,
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			if asksForHelp(args) {
				return c.Help()
			}
			event, err := hookEvent(c.Context(), a)
			if err != nil {
				return err
			}
			return answer(c.Context(), a, event)
		},
	}
}

func hookEvent(ctx context.Context, a *app.App) (Event, error) {
	return terminal.Await(ctx, func() (Event, error) { return Read(a.Stdin) })
}

// asksForHelp reports whether the arguments of a hook, which parses no flags, ask for its
// help.
func asksForHelp(args []string) bool {
	return slices.Contains([]string{"--help", "-h", "help"}, strings.Join(args, " "))
}

// projectFolder returns the folder that the client was started for.
func projectFolder(a *app.App, e Event) string {
	return a.Absolute(cmp.Or(a.Getenv("CLAUDE_PROJECT_DIR"), e.Cwd))
}
