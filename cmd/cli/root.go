package cli

import (
	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/exec"
	"github.com/toolscript/toolscript/cmd/gateways"
	"github.com/toolscript/toolscript/cmd/status"
	"github.com/toolscript/toolscript/cmd/tools"
)

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
func Commands() *cobra.Command { return newRoot(&app.App{}) }

func newRoot(a *app.App) *cobra.Command { return newRootWith(a, "") }

// newRootWith makes the root command with all commands; if only is not empty, with the command of this name.
// Completions, the help of the program and suggestions need all commands.
func newRootWith(a *app.App, only string) *cobra.Command {
	root := &cobra.Command{
		Use:               "toolscript [FILE.ts [args]]",
		Short:             "MCP code mode: run TypeScript against MCP servers",
		Long:              longHelp,
		Args:              cobra.ArbitraryArgs,
		RunE:              func(c *cobra.Command, args []string) error { return runRoot(a, c, args) },
		PersistentPreRunE: a.Prepare,
		SilenceErrors:     true,
		SilenceUsage:      true,
	}
	root.SetFlagErrorFunc(app.FlagError)
	root.SetHelpCommand(app.NewHelp())
	root.Flags().BoolP("version", "V", false, "print the version")
	root.Flags().SetInterspersed(false) // arguments after FILE.ts belong to the script
	a.AddGlobalFlags(root.PersistentFlags())
	addGroups(a, root, only)
	exec.TakeServers(a, root)
	a.TakeProfile(root)
	if root.CompletionOptions.DisableDefaultCmd = only != ""; only == "" {
		app.AddCompletion(root)
		completeNames(a, root)
		tools.CompleteEntries(a, root)
	}
	return root
}

func newGateway(a *app.App) *cobra.Command {
	return app.Group("gateway", "Run a gateway, or manage running gateways", gateways.NewGatewayStart(a), gateways.NewGatewayStop(a), gateways.NewGatewayRestart(a), gateways.NewGatewayPrune(a), gateways.NewGatewayReload(a), status.NewGatewayStatus(a), status.NewGatewayList(a))
}
