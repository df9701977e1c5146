package exec

import (
	"context"
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/confirm"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// Options are the options of the commands that run scripts.
type Options struct {
	*app.App
	Script       CommandLine
	only         bool            // check the script and run nothing
	sign         bool            // with only: describe the function that the script exports
	param        json.RawMessage // argument of the function that the script exports
	Record       bool
	strict       bool // check types strictly
	detach, Plan bool // detach: the run outlives this command; plan: only tools that read are called

	limits        app.Limits
	check, engine app.Choice
	Allow, needs  []string
	name          string // name that keeps the value for later runs
	Cwd, Out      string
	Trust         bool

	MaxTokens app.Tokens
	Form      terminal.Form // form of the value; JSON prints the end of the run
	search    app.Search
}

// NewOptions returns the options of a command, named as on the command line.
func NewOptions(a *app.App, command string) *Options {
	return &Options{
		App: a, Script: CommandLine{Command: command},
		check:  app.Choice{Choices: toolscript.Checks()},
		engine: app.Choice{Choices: toolscript.Engines()},
	}
}

// Request returns the run that the options describe.
func (o *Options) Request(src Script) toolscript.ExecRequest {
	check := o.check.Value
	if o.only { // the configured check is for runs
		check = toolscript.CheckError
	}
	return toolscript.ExecRequest{
		Code:      src.Code,
		File:      src.File,
		Modules:   src.Modules,
		Args:      src.Args,
		Name:      o.name,
		Needs:     o.needs,
		Limits:    o.runLimits(),
		CheckOnly: o.only,
		Signature: o.sign,
		Parameter: o.param,
		Record:    o.Record,
		Rules: toolscript.Rules{
			Cwd:     o.Absolute(o.Cwd),
			TZ:      daemon.ZoneOf(o.Getenv("TZ")),
			Engine:  o.engine.Value,
			Check:   check,
			Strict:  o.strict,
			Allow:   o.Allow,
			Profile: o.Target.Profile,
			Plan:    o.Plan,
			Client:  o.Script.Command + " " + toolscript.Version,
			Session: discovery.Session(o.LookupEnv),
		},
	}
}

// output returns the printer of the events of the run.
func (o *Options) output() Output {
	if o.Form.Structured() {
		return NewCaptured(o.Stdout, o.Printer())
	}
	return LiveOutput(o.App, o.Printer(), o.Notice)
}

// Person returns the person at the terminal; nil without a terminal, with --json, and if nothing is run.
func (o *Options) Person() *terminal.Person {
	if o.Form.Structured() || o.only || !terminal.Is(o.Stdin) {
		return nil
	}
	return terminal.OpenPerson(o.Again, func(ctx context.Context, address string) error { return confirm.OpenBrowser(ctx, address, o.Env) })
}
