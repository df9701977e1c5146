package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/exit"
	"github.com/toolscript/toolscript/naming"
)

// group is a command that only has subcommands.
func group(use, short string, children ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs, RunE: runGroup}
	c.AddCommand(children...)
	c.Flags().SetInterspersed(false) // "gateway halt --help" must report that there is no command "halt"
	return c
}

func runGroup(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(c, args[0])
	}
	return c.Help()
}

func unknownCommand(c *cobra.Command, name string) error {
	text := fmt.Sprintf("unknown command %.100q for %q", name, c.CommandPath())
	if meant := meantCommand(c, name); meant != "" {
		text += "; " + meant
	}
	return &exit.UsageError{Command: c.CommandPath(), Err: errors.New(text)}
}

// meantCommand suggests a command for a name that does not exist; "" if no name is
// similar.
func meantCommand(c *cobra.Command, name string) string {
	if advice, ok := otherCommands[strings.ToLower(name)]; ok {
		return advice
	}
	if strings.ContainsAny(name, " \t\n;(){}=") {
		return "to run it as a script: toolscript exec " + shellQuoted(name)
	}
	var names []string
	for _, child := range c.Commands() {
		if child.IsAvailableCommand() {
			names = append(names, child.Name())
		}
	}
	near := naming.Nearest(name, names, 3)
	for _, path := range commandPaths(c.Root()) {
		if strings.HasSuffix(path, " "+name) && len(near) < 3 {
			near = append(near, path)
		}
	}
	return strings.TrimPrefix(naming.DidYouMean(near), "; ")
}

// commandPaths are the full names of all commands below c.
func commandPaths(c *cobra.Command) []string {
	var all []string
	for _, child := range c.Commands() {
		if child.IsAvailableCommand() {
			all = append(all, child.CommandPath())
			all = append(all, commandPaths(child)...)
		}
	}
	return all
}

// otherCommands are names of commands in other programs.
var otherCommands = map[string]string{
	"stop":    "did you mean toolscript gateway stop?",
	"kill":    "did you mean toolscript gateway stop?",
	"restart": "did you mean toolscript gateway restart, or toolscript servers restart?",
	"run":     "did you mean toolscript exec?",
	"eval":    "did you mean toolscript exec?",
	"ls":      "did you mean toolscript list-servers or toolscript list-tools?",
	"tools":   "did you mean toolscript list-tools?",
	"types":   "did you mean toolscript get-types?",
	"find":    "did you mean toolscript search?",
	"login":   "did you mean toolscript auth?",
	"delete":  "did you mean toolscript remove?",
	"rm":      "did you mean toolscript remove?",
}

// shellQuoted quotes a text for a shell, or returns a placeholder for a long text.
func shellQuoted(text string) string {
	const most = 100
	if len(text) > most {
		return "CODE"
	}
	return toolscript.ShellWord(text)
}

// flagError is the usage error of a flag. An unknown flag may be an argument of the
// script.
func flagError(c *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return &exit.UsageError{Command: c.CommandPath(), Err: err}
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	if near := naming.Nearest("--"+missing.GetSpecifiedName(), names, 2); len(near) > 0 {
		err = fmt.Errorf("%w%s", err, naming.DidYouMean(near))
	} else if c.Flags().Lookup("eval") != nil && c.Flags().Lookup("out") != nil {
		err = fmt.Errorf("%w; arguments of the script go after --, as in: toolscript exec report.ts -- --since monday", err)
	}
	return &exit.UsageError{Command: c.CommandPath(), Err: err}
}

// takes names the positional arguments of a command; those in brackets are optional.
func takes(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > len(names) && (len(names) == 0 || !strings.HasSuffix(names[len(names)-1], "...")) {
			return &exit.UsageError{Command: c.CommandPath(), Err: fmt.Errorf("unexpected argument %q", args[len(names)])}
		}
		if len(args) < len(names) && !strings.HasPrefix(names[len(args)], "[") {
			return &exit.UsageError{Command: c.CommandPath(), Err: fmt.Errorf("missing argument: %s", strings.TrimSuffix(names[len(args)], "..."))}
		}
		return nil
	}
}

// exclude has a command refuse two flags together.
func exclude(c *cobra.Command, one, other string) {
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		if c.Flags().Changed(one) && c.Flags().Changed(other) {
			return exit.Usage(c.CommandPath(), "give either --%s or --%s, not both", one, other)
		}
		return nil
	}
}

// addCompletion replaces the error handling of cobra's completion command: its mistakes
// are usage errors too.
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
		Short: "Show the help of a command",
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
