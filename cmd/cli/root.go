package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript"
)

// app is what all commands share: the outside world and the global options.
type app struct {
	State

	gatewayURL string
	configs    string
	dataDir    string
	logLevel   choiceFlag
	logFormat  choiceFlag
}

const longHelp = `toolscript runs TypeScript against your MCP servers: MCP code mode.

A script imports typed functions for every tool of every server and calls them
in the embedded sandbox, which can reach the tools and nothing else:

  toolscript exec 'import { tools } from "toolscript";
    const issues = await tools.github.listIssues({ repo: "a/b" });
    return issues.length'

Servers are configured in .toolscript.json, of the project or of the home folder.
The smallest one names one server and the command that starts it:

  {"mcpServers": {"demo": {"type": "stdio", "command": "my-mcp-server"}}}

Values may refer to environment variables, and a server may be on the network:

  {"mcpServers": {
    "github": {
      "type": "stdio",
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-github"],
      "env": {"GITHUB_TOKEN": "${GITHUB_TOKEN}"}
    },
    "api": {
      "type": "http",
      "url": "https://api.example.com/mcp",
      "headers": {"Authorization": "Bearer ${API_TOKEN:-none}"}
    }
  }}

A project's file starts nothing before you have looked at it: toolscript trust.

Exit codes: 0 success, 1 failure, 2 usage error, 130 interrupted, 143 terminated,
or the number that the script gave to exit().`

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:               "toolscript [FILE.ts [args]]",
		Short:             "MCP code mode: run TypeScript against MCP servers",
		Long:              longHelp,
		Version:           toolscript.Version,
		Args:              cobra.ArbitraryArgs,
		RunE:              a.runFile,
		PersistentPreRunE: a.readEnvironment,
		SilenceErrors:     true,
		SilenceUsage:      true,
	}
	root.SetVersionTemplate("toolscript {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return &usageError{c.CommandPath(), err} })
	root.SetHelpCommand(newHelp())
	root.Flags().BoolP("version", "V", false, "print the version")
	root.Flags().SetInterspersed(false) // what follows FILE.ts belongs to the script
	a.addGlobalFlags(root.PersistentFlags())
	root.AddCommand(
		newExec(a), newGateway(a), newListServers(a), newListTools(a), newGetTypes(a),
		newTrust(a), newConfig(a), newCache(a), newVersion(a), newDemo(a),
	)
	return root
}

func (a *app) addGlobalFlags(f *pflag.FlagSet) {
	f.StringVarP(&a.gatewayURL, "gateway-url", "g", "", "use the gateway at this `url` and no other")
	f.StringVarP(&a.configs, "config", "c", "", "comma separated configuration `files` (default ~/.toolscript.json and the project's .toolscript.json)")
	f.StringVar(&a.dataDir, "data-dir", "", "`folder` of trust and caches (default ~/.toolscript)")
	a.logLevel.choices = []string{"debug", "info", "warn", "error"}
	f.Var(&a.logLevel, "log-level", "what goes to stderr (default info for gateway start, else warn)")
	a.logFormat = choiceFlag{"text", []string{"text", "json"}}
	f.Var(&a.logFormat, "log-format", "how it is written")
	fromEnvironment(f, "gateway-url", "TOOLSCRIPT_GATEWAY_URL")
	fromEnvironment(f, "config", "TOOLSCRIPT_CONFIG")
	fromEnvironment(f, "data-dir", "TOOLSCRIPT_DATA_DIR")
	fromEnvironment(f, "log-level", "LOG_LEVEL")
}

// environmentKey marks a flag with the variable that stands in for it.
const environmentKey = "toolscript_environment"

// fromEnvironment lets a variable stand in for a flag that is not given. The
// value never becomes the flag's default: help would print it, and one of them
// is a capability.
func fromEnvironment(f *pflag.FlagSet, flag, variable string) {
	found := f.Lookup(flag)
	found.Usage += " [$" + variable + "]"
	found.Annotations = map[string][]string{environmentKey: {variable}}
}

// readEnvironment sets the flags that are not given from their variables.
func (a *app) readEnvironment(c *cobra.Command, _ []string) error {
	var bad error
	c.Flags().VisitAll(func(f *pflag.Flag) {
		variables := f.Annotations[environmentKey]
		if len(variables) == 0 || f.Changed || bad != nil {
			return
		}
		if value := a.getenv(variables[0]); value != "" {
			if err := c.Flags().Set(f.Name, value); err != nil {
				bad = &usageError{c.CommandPath(), fmt.Errorf("%s: %w", variables[0], err)}
			}
		}
	})
	return bad
}

// getenv is the value of a variable, "" when it is not set.
func (a *app) getenv(name string) string {
	value, _ := a.lookupEnv(name)
	return value
}

// lookupEnv finds a variable. As in the shell, of two entries the later counts.
func (a *app) lookupEnv(name string) (string, bool) {
	for _, entry := range slices.Backward(a.Env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// group is a command that only holds others.
func group(use, short string, children ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs}
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return unknownCommand(c, args[0])
	}
	c.AddCommand(children...)
	return c
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
	return &usageError{c.CommandPath(), fmt.Errorf("%s", text)}
}

// takes names the positional arguments of a command, all of them needed. The
// names are those of its Use line.
func takes(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return &usageError{c.CommandPath(), fmt.Errorf("missing argument: %s", names[len(args)])}
		}
		if len(args) > len(names) {
			return &usageError{c.CommandPath(), fmt.Errorf("unexpected argument %q", args[len(names)])}
		}
		return nil
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
