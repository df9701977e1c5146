package cli

import (
	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/approvals"
	"github.com/toolscript/toolscript/cmd/confine"
	"github.com/toolscript/toolscript/cmd/demo"
	"github.com/toolscript/toolscript/cmd/doctor"
	"github.com/toolscript/toolscript/cmd/exec"
	"github.com/toolscript/toolscript/cmd/gateways"
	"github.com/toolscript/toolscript/cmd/hook"
	"github.com/toolscript/toolscript/cmd/hub"
	"github.com/toolscript/toolscript/cmd/mcp"
	"github.com/toolscript/toolscript/cmd/runs"
	"github.com/toolscript/toolscript/cmd/setup"
	"github.com/toolscript/toolscript/cmd/status"
	"github.com/toolscript/toolscript/cmd/tools"
)

// commandGroup is a part of the list of commands in the help of the program.
type commandGroup struct {
	title    string
	commands []named
}

type named struct {
	name string
	make func(*app.App) *cobra.Command
}

// groups returns all commands, in the order in which a new user needs them.
func groups() []commandGroup {
	return []commandGroup{
		{"Run scripts and calls:", []named{{"exec", exec.New}, {"call", exec.NewCall}, {"check", exec.NewCheck}, {"run", exec.NewRun}, {"save", exec.NewSave}, {"scripts", exec.NewScripts}, {"output", runs.NewOutput}, {"runs", runs.New}, {"usage", runs.NewUsage}}},
		{"Find tools:", []named{{"search", tools.NewSearch}, {"list-servers", status.NewListServers}, {"list-tools", tools.NewListTools}, {"get-types", tools.NewGetTypes}, {"resources", tools.NewResources}, {"prompts", tools.NewPrompts}, {"skills", tools.NewSkills}}},
		{"Configure servers:", []named{{"init", setup.NewInit}, {"add", setup.NewAdd}, {"remove", setup.NewRemove}, {"enable", setup.NewEnable}, {"disable", setup.NewDisable}, {"config", setup.NewConfig}, {"auth", setup.NewAuth}, {"secret", setup.NewSecret}}},
		{"Decide what is allowed:", []named{{"trust", setup.NewTrust}, {"confine", confine.New}, {"approvals", approvals.NewApprovals}, {"pins", approvals.NewPins}, {"audit", runs.NewAudit}}},
		{"Connect agents and models:", []named{{"connect", setup.NewConnect}, {"mcp", mcp.New}, {"prompt", mcp.NewPrompt}, {"agent", mcp.NewAgent}, {"harness", mcp.NewHarness}}},
		{"Operate gateways:", []named{{"gateway", newGateway}, {"status", status.New}, {"dashboard", gateways.NewDashboard}, {"servers", gateways.NewServers}, {"logs", gateways.NewLogs}, {"hub", hub.New}, {"fleet", hub.NewFleet}}},
		{"Maintain the installation:", []named{{"doctor", doctor.New}, {"cache", doctor.NewCache}, {"deno", doctor.NewDeno}, {"version", newVersion}, {"mcp-demo", demo.New}, {"hook", hook.New}}},
	}
}

// names returns the names of all commands.
func names() []string {
	all := []string{"help", "completion"}
	for _, g := range groups() {
		for _, c := range g.commands {
			all = append(all, c.name)
		}
	}
	return all
}

// one returns the name of the command that args begin with; "" if they begin with none. Making all commands
// would take a tenth of the start.
func one(args []string) string {
	if len(args) == 0 {
		return ""
	}
	if len(args) == 1 && (args[0] == "--version" || args[0] == "-V") {
		return "version"
	}
	for _, g := range groups() {
		for _, c := range g.commands {
			if c.name == args[0] {
				return c.name
			}
		}
	}
	return ""
}

// addGroups adds all commands to the root command, or only the named one. help and completion, which cobra
// makes, are in the last group.
func addGroups(a *app.App, root *cobra.Command, only string) {
	last := ""
	for _, g := range groups() {
		last = g.title
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, n := range g.commands {
			if only != "" && n.name != only {
				continue
			}
			c := n.make(a)
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID(last)
	root.SetCompletionCommandGroupID(last)
}
