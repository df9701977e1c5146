package cli

import "github.com/spf13/cobra"

// commandGroup is a part of the list of commands in the help of the program.
type commandGroup struct {
	title    string
	commands []named
}

type named struct {
	name string
	make func(*App) *cobra.Command
}

// groups returns all commands, in the order in which a new user needs them.
func groups() []commandGroup {
	return []commandGroup{
		{"Run scripts and calls:", []named{{"exec", newExec}, {"call", newCall}, {"check", newCheck}, {"run", newRun}, {"save", newSave}, {"scripts", newScripts}, {"output", newOutput}, {"runs", newRuns}, {"usage", newUsage}}},
		{"Find tools:", []named{{"search", newSearch}, {"list-servers", newListServers}, {"list-tools", newListTools}, {"get-types", newGetTypes}, {"resources", newResources}, {"prompts", newPrompts}}},
		{"Configure servers:", []named{{"init", newInit}, {"add", newAdd}, {"remove", newRemove}, {"enable", newEnable}, {"disable", newDisable}, {"config", newConfig}, {"auth", newAuth}, {"secret", newSecret}}},
		{"Decide what is allowed:", []named{{"trust", newTrust}, {"confine", newConfine}, {"approvals", newApprovals}, {"pins", newPins}, {"audit", newAudit}}},
		{"Connect agents and models:", []named{{"connect", newConnect}, {"mcp", newMCP}, {"prompt", newPrompt}, {"agent", newAgent}, {"harness", newHarness}}},
		{"Operate gateways:", []named{{"gateway", newGateway}, {"status", newStatus}, {"top", newTop}, {"dashboard", newDashboard}, {"servers", newServers}, {"logs", newLogs}, {"hub", newHub}, {"fleet", newFleet}}},
		{"Maintain the installation:", []named{{"doctor", newDoctor}, {"cache", newCache}, {"deno", newDeno}, {"version", newVersion}, {"mcp-demo", newDemo}, {"hook", newHook}}},
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
func addGroups(a *App, root *cobra.Command, only string) {
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
