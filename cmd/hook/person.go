package hook

import (
	"errors"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/cmd/app"
)

// guarded returns the flags of a call of toolscript that need a person. The command itself parses them.
func (c *agentCall) guarded(args []string) []string {
	root := c.tree(c.Dir, args)
	command, rest, err := root.Find(args)
	if err != nil || command.DisableFlagParsing || command.ParseFlags(rest) != nil {
		return nil
	}
	return app.PersonNeeded(command)
}

// personCommands are the commands with which a person says what toolscript may start, each with its effect.
var personCommands = map[string]string{
	"trust":           "lets the programs of the project's file start",
	"add":             "adds a server to the configuration",
	"init":            "writes the configuration",
	"config import":   "adds servers of other clients to the configuration",
	"connect":         "changes the configuration of another client",
	"enable":          "starts a server that was disabled",
	"pins accept":     "accepts tools that have changed",
	"approvals allow": "allows a call that waits for a person",
	"secret confirm":  "gives a secret to a server",
}

// personCommandsIn returns the personCommands in a shell command of any form, with their effects. Commands
// that only ask for help are left out; the --help of another program, which add and init start, does not count.
func (c *agentCall) personCommandsIn(command string) (reasons []string) {
	for _, args := range CallsIn(command) {
		root := c.tree(c.Dir, args)
		found, rest, err := root.Find(args)
		if err != nil {
			continue
		}
		found.InitDefaultHelpFlag()
		err = found.ParseFlags(rest)
		if help, _ := found.Flags().GetBool("help"); help && err == nil { // the flag exists
			continue
		}
		name := strings.TrimPrefix(found.CommandPath(), root.Name()+" ")
		if reason := personCommands[name]; reason != "" {
			reasons = append(reasons, name+" "+reason)
		}
	}
	return reasons
}

// askAboutFlags returns the reasons to ask the user about a command with flags that need a person, and admits
// exactly the calls with such flags. Without such flags, there are no reasons.
func askAboutFlags(a *app.App, command string, call *agentCall) (reasons []string, err error) {
	var calls [][]string
	if !CommandAllowed(command, func(args []string) bool {
		calls = append(calls, args)
		return true
	}) {
		return nil, nil
	}
	for _, args := range calls {
		needed := call.guarded(args)
		if len(needed) == 0 {
			continue
		}
		if err := a.Admit(args, call.Dir); err != nil {
			return nil, errors.Join(errors.New("the command cannot be admitted"), err)
		}
		for _, name := range needed {
			reasons = append(reasons, "--"+name+" "+app.PersonFlags[name])
		}
	}
	return slices.Compact(reasons), nil
}
