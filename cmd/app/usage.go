package app

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
)

// Group makes a command that only has subcommands.
func Group(use, short string, children ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs, RunE: runGroup}
	c.AddCommand(children...)
	c.Flags().SetInterspersed(false) // "gateway halt --help" must report that there is no command "halt"
	return c
}

func runGroup(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return UnknownCommand(c, args[0])
	}
	return c.Help()
}

// UnknownCommand returns the usage error of a name that is no command below c, with the commands that may be meant.
func UnknownCommand(c *cobra.Command, name string) error {
	text := fmt.Sprintf("unknown command %.100q for %q", name, c.CommandPath())
	if meant := meantCommand(c, name); meant != "" {
		text += "; " + meant
	}
	return &UsageError{Command: c.CommandPath(), Err: errors.New(text)}
}

// meantCommand returns a suggestion for a name that is not a command below c; "" if there is no suggestion.
func meantCommand(c *cobra.Command, name string) string {
	root := c.Root().Name() + " "
	path := strings.ToLower(strings.TrimPrefix(c.CommandPath()+" "+name, root))
	meant := slices.Clone(otherCommands[path])
	switch {
	case meant != nil:
	case strings.ContainsAny(name, " \t\n;(){}="):
		return "to run it as a script: toolscript exec " + shellQuoted(name)
	case !c.HasParent() && toolName().MatchString(name):
		return "to call a tool: " + toolscript.Command("call", name)
	default:
		meant = nearCommands(c, name)
	}
	for i, path := range meant {
		meant[i] = root + strings.TrimPrefix(path, root)
	}
	return strings.TrimPrefix(naming.DidYouMean(meant), "; ")
}

// nearCommands returns the paths of commands below c with almost this name. If c is the root, commands with
// exactly this name below other commands follow.
func nearCommands(c *cobra.Command, name string) []string {
	paths := map[string]string{}
	for _, child := range c.Commands() {
		if child.IsAvailableCommand() {
			paths[child.Name()] = child.CommandPath()
		}
	}
	near := naming.Nearest(name, slices.Sorted(maps.Keys(paths)), 3)
	for i := range near {
		near[i] = paths[near[i]]
	}
	if c.HasParent() {
		return near
	}
	for _, path := range commandPaths(c) {
		if strings.HasSuffix(path, " "+name) && len(near) < 3 {
			near = append(near, path)
		}
	}
	return near
}

// toolName matches a tool, as scripts and agents name it.
var toolName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][\w-]*(?:\.|__)[A-Za-z]\w*$`) })

// commandPaths returns the full names of all commands below c.
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

// otherCommands has commands of other programs, and names that people try, with the paths of our commands.
var otherCommands = map[string][]string{
	"start":        {"gateway start"},
	"stop":         {"gateway stop"},
	"kill":         {"gateway stop"},
	"restart":      {"gateway restart", "servers restart"},
	"reload":       {"gateway reload"},
	"run":          {"exec"},
	"eval":         {"exec"},
	"ls":           {"list-servers", "list-tools"},
	"list":         {"list-servers", "list-tools"},
	"tools":        {"list-tools"},
	"types":        {"get-types"},
	"describe":     {"get-types"},
	"inspect":      {"get-types"},
	"show":         {"get-types"},
	"find":         {"search"},
	"login":        {"auth"},
	"logout":       {"auth logout"},
	"import":       {"config import"},
	"delete":       {"remove"},
	"rm":           {"remove"},
	"uninstall":    {"remove"},
	"install":      {"add", "connect"},
	"setup":        {"init", "connect"},
	"servers list": {"list-servers"},
	"servers ls":   {"list-servers"},
	"servers add":  {"add"},
	"servers rm":   {"remove"},
	"config show":  {"list-servers", "config validate"},
	"config list":  {"list-servers"},
	"config check": {"config validate"},
	"mcp list":     {"list-servers"},
	"mcp add":      {"add"},
	"mcp remove":   {"remove"},
}

// shellQuoted quotes a text for a shell, or returns a placeholder for a long text.
func shellQuoted(text string) string {
	const most = 100
	if len(text) > most {
		return "CODE"
	}
	return toolscript.ShellWord(text)
}

// FlagError returns the usage error of a flag. An unknown flag may be meant as an argument of the script or
// the tool.
func FlagError(c *cobra.Command, err error) error {
	missing, is := errors.AsType[*pflag.NotExistError](err)
	if !is {
		return &UsageError{Command: c.CommandPath(), Err: err}
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	if near := naming.Nearest("--"+missing.GetSpecifiedName(), names, 2); len(near) > 0 {
		err = fmt.Errorf("%w%s", err, naming.DidYouMean(near))
	} else if c.CommandPath() == c.Root().Name()+" call" {
		err = fmt.Errorf("%w; an argument of the tool is a word KEY=VALUE, as in: toolscript call SERVER.TOOL %s=VALUE", err, missing.GetSpecifiedName())
	} else if c.Flags().Lookup("eval") != nil && c.Flags().Lookup("out") != nil {
		err = fmt.Errorf("%w; arguments of the script go after --, as in: toolscript exec report.ts -- --since monday", err)
	}
	return &UsageError{Command: c.CommandPath(), Err: err}
}

// Takes accepts positional arguments with these names. Names in brackets are optional; a last "..." repeats.
func Takes(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > len(names) && (len(names) == 0 || !strings.HasSuffix(names[len(names)-1], "...")) {
			return unexpected(c, args[len(names)])
		}
		if len(args) < len(names) && !strings.HasPrefix(names[len(args)], "[") {
			return &UsageError{Command: c.CommandPath(), Err: fmt.Errorf("missing argument: %s", strings.TrimSuffix(names[len(args)], "..."))}
		}
		return nil
	}
}

// unexpected returns the usage error of an argument that the command does not take.
func unexpected(c *cobra.Command, arg string) error {
	text := fmt.Sprintf("unexpected argument %q", arg)
	if len(c.Commands()) > 0 || otherCommands[strings.TrimPrefix(c.CommandPath()+" "+arg, c.Root().Name()+" ")] != nil {
		if meant := meantCommand(c, arg); meant != "" {
			text += "; " + meant
		}
	}
	return &UsageError{Command: c.CommandPath(), Err: errors.New(text)}
}

// exclusive are pairs of flags that no command takes together.
var exclusive = [][2]string{{"json", "output"}, {"html", "json"}, {"html", "output"}, {"yes", "remove"}}

// besideUndo are the flags that can be given with --undo, because they do not say what to change.
var besideUndo = []string{"undo", "yes", "json", "output"}

// together returns an error if flags that exclude each other are given.
func together(c *cobra.Command) error {
	pairs := slices.Clone(exclusive)
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(besideUndo, f.Name) {
			pairs = append(pairs, [2]string{"undo", f.Name})
		}
	})
	for _, pair := range pairs {
		if c.Flags().Changed(pair[0]) && c.Flags().Changed(pair[1]) {
			return Usage(c.CommandPath(), "give either --%s or --%s, not both", pair[0], pair[1])
		}
	}
	return nil
}

// AddCompletion adds cobra's completion command. Wrong arguments become usage errors, as in other commands.
func AddCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Args, c.RunE = cobra.ArbitraryArgs, runGroup
		for _, shell := range c.Commands() {
			shell.Args = Takes()
		}
	}
}

// NewHelp returns the command help.
func NewHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Show the help of a command",
		Args:  cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return UnknownCommand(found, rest[0])
			}
			return found.Help()
		},
	}
}
