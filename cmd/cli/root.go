package cli

import (
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/flags"
	"github.com/toolscript/toolscript/cmd/target"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// app is the environment and the global options, which all commands share.
type app struct {
	State

	target    target.Finder
	configs   string
	dataDir   string
	logLevel  flags.Level
	logFormat flags.Choice

	host   *daemon.Host
	notice *terminal.Notice
	hangup atomic.Pointer[chan struct{}] // receives SIGHUP, see hangupSignals
	breaks atomic.Pointer[chan struct{}] // is closed at the next SIGINT, see interrupts

	printed *printed // nil: the output is not counted

	suggestions suggestions
}

const longHelp = `toolscript runs TypeScript against your MCP servers: MCP code mode.

A script calls a typed function for each tool of each server. It runs in a sandbox
that can reach only the tools:

  toolscript exec '
    const issues = await tools.github.listIssues({ repo: "a/b" });
    return issues.length'

Servers are configured in .toolscript.json, in the project or in the home folder. The
smallest file has one server and the command that starts it:

  {"mcpServers": {"demo": {"type": "stdio", "command": "my-mcp-server"}}}

Values may refer to environment variables, and servers may be on the network:

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

Servers in the file of a project start after you have trusted it: toolscript trust.
toolscript init writes a first configuration.

Exit codes: 0 success, 1 failure, 2 usage error, 130 interrupted, 143 terminated,
141 closed output pipe, or the number that the script passed to exit().`

// Commands returns the commands of the program, for their reference. They cannot be run.
func Commands() *cobra.Command { return newRoot(&app{}) }

func newRoot(a *app) *cobra.Command { return newRootWith(a, "") }

// newRootWith makes the root command with all commands; if only is not empty, with the command of this name.
// Completions, the help of the program and suggestions need all commands.
func newRootWith(a *app, only string) *cobra.Command {
	root := &cobra.Command{
		Use:               "toolscript [FILE.ts [args]]",
		Short:             "MCP code mode: run TypeScript against MCP servers",
		Long:              longHelp,
		Version:           toolscript.Version,
		Args:              cobra.ArbitraryArgs,
		RunE:              a.runFile,
		PersistentPreRunE: a.prepare,
		SilenceErrors:     true,
		SilenceUsage:      true,
	}
	root.SetVersionTemplate("toolscript {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp())
	root.Flags().BoolP("version", "V", false, "print the version")
	root.Flags().SetInterspersed(false) // arguments after FILE.ts belong to the script
	a.addGlobalFlags(root.PersistentFlags())
	a.addGroups(root, only)
	a.takeServers(root)
	a.takeProfile(root)
	if root.CompletionOptions.DisableDefaultCmd = only != ""; only == "" {
		addCompletion(root)
		a.completeNames(root)
	}
	return root
}

func (a *app) addGlobalFlags(f *pflag.FlagSet) {
	f.StringVarP(&a.target.URL, "gateway-url", "g", "", "use only the gateway at this `url`")
	f.StringVarP(&a.configs, "config", "c", "", "comma separated configuration `files` (default ~/.toolscript.json and the project's .toolscript.json)")
	f.StringVar(&a.dataDir, "data-dir", "", "`folder` of trust and caches (default ~/.toolscript)")
	a.logLevel.Choices = []string{"debug", "info", "warn", "error"}
	f.Var(&a.logLevel, "log-level", "the lowest level of the log on stderr (default info for gateway start, else warn)")
	a.logFormat = flags.Choice{Value: "text", Choices: []string{"text", "json"}}
	f.Var(&a.logFormat, "log-format", "the format of the log")
	flags.FromEnvironment(f, "gateway-url", "TOOLSCRIPT_GATEWAY_URL")
	flags.FromEnvironment(f, "config", "TOOLSCRIPT_CONFIG")
	flags.FromEnvironment(f, "data-dir", "TOOLSCRIPT_DATA_DIR")
	flags.FromEnvironment(f, "log-level", "LOG_LEVEL")
}

func newGateway(a *app) *cobra.Command {
	return group("gateway", "Run a gateway, or manage running gateways", newGatewayStart(a), newGatewayStop(a), newGatewayRestart(a), newGatewayPrune(a), newGatewayReload(a), newStatus(a), newGatewayList(a))
}
