package hook

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/exec"
	"github.com/toolscript/toolscript/transport/egress"
)

// preToolUse makes the client ask its user about scripts that name tools under approval, and about commands
// and flags that need a person. It allows other safe commands of the agent. It does not answer about the
// rest, so that the client asks the user as always. It allows and admits no command of PowerShell, which may read a
// command in another way than the parser of Bash.
func preToolUse(_ context.Context, a *app.App, e Event) error {
	call := &agentCall{PermissionProject: PermissionProject{Root: projectFolder(a, e), Dir: a.Absolute(e.Cwd)}, planning: e.PermissionMode == "plan", tree: a.Tree}
	reasons := call.personCommandsIn(e.Command())
	if e.ToolName == "Bash" {
		flags, err := askAboutFlags(a, e.Command(), call)
		if err != nil {
			return err
		}
		reasons = append(reasons, flags...)
	}
	if tools := approvalNeeded(a, e.Command(), call.PermissionProject); len(tools) > 0 {
		reasons = append(reasons, question(tools))
	}
	if len(reasons) > 0 {
		return Ask(a.Stdout, "toolscript: "+strings.Join(reasons, "; "))
	}
	command, ok := e.Plain()
	if !ok {
		return nil
	}
	if !CommandAllowed(command, call.allowed) {
		return nil
	}
	allow, err := config.AutoAllow(a.Host.Config)
	if err != nil || !allow {
		return nil //nolint:nilerr // session-start has shown what is wrong with the file; it may switch this off
	}
	return Allow(a.Stdout, "toolscript: searches, reads types, or runs a script in the sandbox")
}

// agentCall decides about one call of toolscript in a shell command of an agent.
type agentCall struct {
	PermissionProject
	tree     func(dir string, args []string) *cobra.Command
	planning bool // the client's plan mode, in which nothing may be changed
}

// allowedFlags has the commands that an agent may run without a confirmation, and the
// flags of each. A flag that names a file or a folder has a check in flagAllowed.
// Excluded are flags that name a program or load code (--stdio, --search-model,
// --search-library) and flags that trust a configuration (--trust, --config, --data-dir): an
// agent that may write a file in the project could run any program with them.
var allowedFlags = map[string][]string{
	"search":              {"limit", "threshold", "server", "read-only"},
	"get-types":           {"filter", "full", "out"},
	"list-servers":        {"verbose"},
	"list-tools":          {"verbose"},
	"exec":                append([]string{"eval", "file", "check", "engine", "allow", "needs", "name", "cwd", "out", "max-tokens", "plan", "detach"}, limitNames...),
	"call":                append([]string{"out", "max-tokens", "plan"}, limitNames...),
	"run":                 append([]string{"check", "engine", "allow", "needs", "name", "cwd", "out", "max-tokens", "plan", "detach"}, limitNames...),
	"check":               {"eval", "file", "strict"},
	"scripts list":        {},
	"scripts show":        {},
	"runs list":           {"last"},
	"runs show":           {},
	"runs wait":           {"timeout"},
	"runs output":         {"follow", "out", "max-tokens"},
	"output":              {"value", "range", "out", "task"},
	"resources":           {"cursor"},
	"resources read":      {},
	"resources templates": {"cursor"},
	"prompts":             {"cursor"},
	"prompts get":         {"arg"},
	"skills":              {"cursor"},
	"skills get":          {},
	"logs":                {"server", "hub", "follow"},
	"status":              {},
	"status servers":      {"verbose"},
	"status gateways":     {},
	"status runs":         {},
	"status actors":       {},
	"status sessions":     {},
	"":                    {}, // toolscript FILE.ts
}

var limitNames = []string{
	"timeout", "cpu", "memory", "stack", "tool-calls", "concurrency", "questions",
	"max-source", "max-value", "max-output", "log-lines",
}

// always are the flags that are allowed with every allowed command.
var always = []string{"help", "json", "output", "gateway-url", "log-level", "log-format"}

// allowed reports whether a call with these arguments needs no confirmation. The commands themselves parse
// the arguments, so that a call cannot mean something else when it runs.
func (c *agentCall) allowed(args []string) bool {
	root := c.tree(c.Dir, args)
	command, rest, err := root.Find(args)
	if err != nil || command.Hidden {
		return false
	}
	command.InitDefaultHelpFlag()
	if command.ParseFlags(rest) != nil {
		return false
	}
	name := strings.TrimPrefix(strings.TrimPrefix(command.CommandPath(), root.Name()), " ")
	flags, ok := allowedFlags[name]
	if !ok {
		return false
	}
	ok = true
	command.Flags().Visit(func(f *pflag.Flag) {
		known := slices.Contains(always, f.Name) || slices.Contains(flags, f.Name)
		ok = ok && known && c.flagAllowed(name, f)
	})
	return ok && c.argumentsAllowed(name, command)
}

// argumentsAllowed reports whether the scripts that a command names belong to the project, no argument is
// read from a file, and the command calls no tool in plan mode.
func (c *agentCall) argumentsAllowed(name string, command *cobra.Command) bool {
	args := command.Flags().Args()
	switch name {
	case "":
		return !c.planning && len(args) > 0 && c.Script(args[0])
	case "call", "run": // a value can be read from any file, as with a redirection
		return !c.planning && !slices.ContainsFunc(args, exec.ReadsFile)
	case "exec", "check":
		if name == "exec" && c.planning {
			return false
		}
		inline := command.Flags().Changed("eval") || command.Flags().Changed("file")
		if name == "check" && len(args) > 1 && !inline { // each is a file
			return !slices.ContainsFunc(args, func(file string) bool { return !c.Script(file) })
		}
		return inline || len(args) == 0 || !exec.IsScript(c.Dir, args[0]) || c.Script(args[0])
	}
	return true
}

// flagAllowed reports whether the value of a flag that names a file, a folder or a host is allowed.
func (c *agentCall) flagAllowed(command string, f *pflag.Flag) bool {
	value := f.Value.String()
	switch f.Name {
	case "gateway-url":
		u, err := url.Parse(value)
		return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && egress.IsLoopback(u.Hostname())
	case "file":
		return value == "-" || c.Script(value)
	case "cwd":
		_, ok := c.Inside(value)
		return ok
	case "out":
		return !c.planning && c.Writable(value, command == "get-types" || command != "output" && strings.HasSuffix(value, "/"))
	}
	return true
}
