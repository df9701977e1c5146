// Toolscript runs TypeScript against MCP servers: code mode for agents.
package main

import (
	"os"

	"github.com/toolscript/toolscript/cmd/cli"
)

func main() { os.Exit(cli.Main()) }
