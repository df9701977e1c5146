package cli

import "github.com/spf13/cobra"

// commandGroup is a part of the list of commands in the help of the program.
type commandGroup struct {
	title    string
	commands []*cobra.Command
}

// groups are all commands, in the order in which a new user needs them.
func (a *app) groups() []commandGroup {
	return []commandGroup{
		{"Run scripts and calls:", []*cobra.Command{newExec(a), newCall(a), newCheck(a), newRun(a), newSave(a), newScripts(a), newOutput(a), newRuns(a), newUsage(a)}},
		{"Find tools:", []*cobra.Command{newSearch(a), newListServers(a), newListTools(a), newGetTypes(a), newResources(a), newPrompts(a)}},
		{"Configure servers:", []*cobra.Command{newInit(a), newAdd(a), newRemove(a), newEnable(a), newDisable(a), newConfig(a), newAuth(a), newSecret(a)}},
		{"Decide what is allowed:", []*cobra.Command{newTrust(a), newConfine(a), newApprovals(a), newPins(a), newAudit(a)}},
		{"Connect agents and models:", []*cobra.Command{newConnect(a), newMCP(a), newPrompt(a), newAgent(a), newHarness(a)}},
		{"Operate gateways:", []*cobra.Command{newGateway(a), newStatus(a), newTop(a), newDashboard(a), newServers(a), newLogs(a), newHub(a), newFleet(a)}},
		{"Maintain the installation:", []*cobra.Command{newDoctor(a), newCache(a), newDeno(a), newVersion(a), newDemo(a), newHook(a)}},
	}
}

// addGroups adds the commands to the root command. help and completion, which cobra makes,
// are in the last group.
func (a *app) addGroups(root *cobra.Command) {
	last := ""
	for _, g := range a.groups() {
		last = g.title
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID(last)
	root.SetCompletionCommandGroupID(last)
}
