package cli

import (
	"sync"
	"sync/atomic"

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

	cacheless sync.Once                     // warns
	hangup    atomic.Pointer[chan struct{}] // where SIGHUP goes, see hangUps
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
		newExec(a), newCheck(a), newOutput(a), newGateway(a), newListServers(a), newListTools(a), newGetTypes(a), newSearch(a),
		newResources(a), newPrompts(a),
		newAuth(a), newTrust(a), newConfig(a), newCache(a), newDeno(a), newDoctor(a), newVersion(a), newDemo(a),
	)
	addCompletion(root)
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
