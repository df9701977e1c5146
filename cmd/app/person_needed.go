package app

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/cmd/confirm"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/transport/egress"
)

// PersonFlags are the flags with which a command starts another program, loads code, trusts a file, or uses
// other files or another machine, each with its effect. Clients can allow commands only by their first words,
// so that a rule for a harmless command allows these flags, too.
var PersonFlags = map[string]string{
	"stdio":          "starts a program",
	"url":            "connects to another server",
	"config":         "uses other configuration files",
	"trust":          "trusts the project's file",
	"data-dir":       "uses other records of trust and approvals",
	"search-library": "loads a library",
	"search-model":   "loads a model",
	"gateway-url":    "uses a gateway of another machine",
}

// ownCommands are the commands that agents do not run: a client starts mcp with the arguments that the user
// has configured there, and a gateway starts the hub.
var ownCommands = []string{"mcp", "hub"}

// PersonNeeded returns the typed flags of a command that an agent must not use alone.
func PersonNeeded(c *cobra.Command) (names []string) {
	if name := strings.Fields(c.CommandPath() + " .")[1]; slices.Contains(ownCommands, name) {
		return nil
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if PersonFlags[f.Name] == "" || !Typed(f) || harmlessValue(f) {
			return
		}
		names = append(names, f.Name)
	})
	return names
}

func harmlessValue(f *pflag.Flag) bool {
	value := f.Value.String()
	switch f.Name {
	case "trust":
		return value == "false"
	case "search-model":
		return value == "minilm"
	case "gateway-url":
		u, err := url.Parse(value)
		return value == "" || err == nil && egress.IsLoopback(u.Hostname())
	}
	return false
}

// refuseAgent returns an error if an agent runs a command that needs a person, unless exactly this command
// was admitted (see Admit).
func (a *App) refuseAgent(c *cobra.Command) error {
	needed := PersonNeeded(c)
	if len(needed) == 0 {
		return nil
	}
	agent := a.Agent()
	if agent == "" {
		return nil
	}
	args := a.Args
	if n := len(args); n > 2 && args[n-2] == "--log-file" { // gateway restart adds it when it begins
		args = args[:n-2]
	}
	if admitted, err := a.admissions(); err == nil && admitted.Take(args, a.Dir) {
		return nil
	}
	return &toolscript.Error{Kind: toolscript.Forbidden, Err: fmt.Errorf(
		"an agent (%s) has started this command, and --%s %s: a person has to run it, at a terminal that the agent has not opened. "+
			"With the plugin, Claude Code asks its user about such a command, if it is a plain call of toolscript", agent, needed[0], PersonFlags[needed[0]])}
}

// admissions returns the store of the commands about which the client asks its person. Flags of this command
// do not change the place of the store.
func (a *App) admissions() (Admissions, error) {
	data, err := config.DataDir(config.Options{WorkDir: a.Dir, LookupEnv: a.LookupEnv})
	return Admissions{Dir: filepath.Join(data, "admitted")}, err
}

// Admit lets a command that needs a person begin once in folder; "": the working directory.
func (a *App) Admit(args []string, folder string) error {
	admitted, err := a.admissions()
	if err != nil {
		return err
	}
	return admitted.Add(args, cmp.Or(folder, a.Dir))
}

// Agent returns the name of the agent that has started this process; "" if there is none.
func (a *App) Agent() string {
	return cmp.Or(confirm.AgentVariable(a.Env), confirm.AgentAbove(a.Parent))
}
