package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
)

// group is a command that only holds others.
func group(use, short string, children ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs, RunE: runGroup}
	c.AddCommand(children...)
	return c
}

func runGroup(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(c, args[0])
	}
	return c.Help()
}

func unknownCommand(c *cobra.Command, name string) error {
	var names []string
	for _, child := range c.Commands() {
		if child.IsAvailableCommand() {
			names = append(names, child.Name())
		}
	}
	text := fmt.Sprintf("unknown command %q for %q", name, c.CommandPath())
	if near := toolscript.Nearest(name, names, 3); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return &usageError{c.CommandPath(), errors.New(text)}
}

// takes names the positional arguments of a command; those in brackets may be
// left out.
func takes(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > len(names) {
			return &usageError{c.CommandPath(), fmt.Errorf("unexpected argument %q", args[len(names)])}
		}
		if len(args) < len(names) && !strings.HasPrefix(names[len(args)], "[") {
			return &usageError{c.CommandPath(), fmt.Errorf("missing argument: %s", names[len(args)])}
		}
		return nil
	}
}

// addCompletion makes cobra's own command one of ours: its mistakes are usage
// errors too.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Args, c.RunE = cobra.ArbitraryArgs, runGroup
		for _, shell := range c.Commands() {
			shell.Args = takes()
		}
	}
}

func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Explain a command",
		Args:  cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(found, rest[0])
			}
			return found.Help()
		},
	}
}
