package exec

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

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

// New returns the command exec.
func New(a *app.App) *cobra.Command {
	o := NewOptions(a, "toolscript exec")
	c := &cobra.Command{
		Use:                   "exec [flags] CODE | FILE.ts | -e CODE | -f FILE | - [-- ARGS]",
		DisableFlagsInUseLine: true,
		Short:                 "Run TypeScript in the sandbox",
		Long: `Run TypeScript in the sandbox.

The script calls tools as tools.server.tool(arguments). Its standard input is stdin
and its arguments are args. The import is optional:

  import { tools, stdin, args } from "toolscript";

The returned value is printed as JSON, or in the form of -o. console.log writes to
stdout and console.error to stderr. Arguments for the script follow FILE.ts or --.

A running gateway of this configuration runs the script. Without one, exec starts the
servers whose tools the script calls, and stops them at the end. Types, names and searches
come from the lists that the servers sent last. For servers without a list, a script that
does not name its servers waits 3 seconds, and a warning names those that it does not see.`,
		Example: `  toolscript exec 'return await tools.demo.listFiles({})'
  toolscript exec report.ts -- --since monday
  toolscript exec - < report.ts`,
		RunE: func(c *cobra.Command, args []string) error {
			o.Script.HasEval = c.Flags().Changed("eval")
			o.Script.Dashed = c.ArgsLenAtDash() >= 0
			return o.Run(c.Context(), args)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.Script.Eval, "eval", "e", "", "run this `code`")
	f.StringVarP(&o.Script.File, "file", "f", "", "run this `file`; - is standard input")
	o.addRunFlags(f)
	return c
}

// NewOptions returns the options of a command, named as on the command line.
func NewOptions(a *app.App, command string) *Options {
	return &Options{
		App: a, Script: CommandLine{Command: command},
		check:  app.Choice{Choices: toolscript.Checks()},
		engine: app.Choice{Choices: toolscript.Engines()},
	}
}

// Run runs the script that the command line names.
func (o *Options) Run(ctx context.Context, args []string) error {
	src, err := o.findScript(ctx, args)
	if err == nil {
		err = o.CheckFiles()
	}
	var wrong *app.UsageError
	switch {
	case errors.As(err, &wrong):
		return err
	case err != nil:
		return o.output().Finish(err)
	}
	return o.exec(ctx, src, o.output())
}

// exec runs the script and prints its output.
func (o *Options) exec(ctx context.Context, src Script, out Output) error {
	if o.detach {
		return o.begin(ctx, o.Request(src))
	}
	at, release, err := o.Place(ctx)
	if err != nil {
		return out.Finish(err)
	}
	defer release()
	return Run(ctx, at, o.Request(src), src.Stdin, Noted(o.App, out), o.Person())
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
