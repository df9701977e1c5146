package cli

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/exec"
	"github.com/toolscript/toolscript/cmd/exit"
	"github.com/toolscript/toolscript/cmd/flags"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type execOptions struct {
	*app
	script       exec.CommandLine
	only         bool            // check the script and run nothing
	sign         bool            // with only: describe the function that the script exports
	param        json.RawMessage // argument of the function that the script exports
	record       bool
	strict       bool // check types strictly
	detach, plan bool // detach: the run outlives this command; plan: only tools that read are called

	limits        flags.Limits
	check, engine flags.Choice
	allow, needs  []string
	name          string // name that keeps the value for later runs
	cwd, out      string
	trust         bool

	maxTokens flags.Tokens
	form      terminal.Form // form of the value; JSON prints the end of the run
	search    flags.Search
}

func newExec(a *app) *cobra.Command {
	o := newExecOptions(a, "toolscript exec")
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
			o.script.HasEval = c.Flags().Changed("eval")
			o.script.Dashed = c.ArgsLenAtDash() >= 0
			return o.run(c.Context(), args)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.script.Eval, "eval", "e", "", "run this `code`")
	f.StringVarP(&o.script.File, "file", "f", "", "run this `file`; - is standard input")
	o.addRunFlags(f)
	return c
}

func newExecOptions(a *app, command string) *execOptions {
	return &execOptions{
		app: a, script: exec.CommandLine{Command: command},
		check:  flags.Choice{Choices: toolscript.Checks()},
		engine: flags.Choice{Choices: toolscript.Engines()},
	}
}

func (o *execOptions) run(ctx context.Context, args []string) error {
	src, err := o.findScript(ctx, args)
	if err == nil {
		err = o.checkFiles()
	}
	var wrong *exit.UsageError
	switch {
	case errors.As(err, &wrong):
		return err
	case err != nil:
		return o.output().Finish(err)
	}
	return o.exec(ctx, src, o.output())
}

// exec runs the script and prints its output.
func (o *execOptions) exec(ctx context.Context, src exec.Script, out exec.Output) error {
	if o.detach {
		return o.begin(ctx, o.request(src))
	}
	at, release, err := o.place(ctx)
	if err != nil {
		return out.Finish(err)
	}
	defer release()
	return exec.Run(ctx, at, o.request(src), src.Stdin, noted{out, o.app}, o.person())
}

// request returns the run that the options describe.
func (o *execOptions) request(src exec.Script) toolscript.ExecRequest {
	check := o.check.Value
	if o.only { // the configured check is for runs
		check = toolscript.CheckError
	}
	return toolscript.ExecRequest{
		Code:      src.Code,
		File:      src.File,
		Modules:   src.Modules,
		Args:      src.Args,
		Cwd:       o.absolute(o.cwd),
		TZ:        daemon.ZoneOf(o.getenv("TZ")),
		Engine:    o.engine.Value,
		Check:     check,
		Strict:    o.strict,
		Name:      o.name,
		Allow:     o.allow,
		Profile:   o.target.Profile,
		Needs:     o.needs,
		Limits:    o.runLimits(),
		CheckOnly: o.only,
		Signature: o.sign,
		Parameter: o.param,
		Plan:      o.plan,
		Record:    o.record,
		Client:    o.script.Command + " " + toolscript.Version,
		Session:   discovery.Session(o.lookupEnv),
	}
}

// output returns the printer of the events of the run.
func (o *execOptions) output() exec.Output {
	if o.form.Structured() {
		return exec.NewCaptured(o.Stdout, o.printer())
	}
	return liveOutput(o.app, o.printer(), o.notice)
}

// person returns the person at the terminal; nil without a terminal, with --json, and if nothing is run.
func (o *execOptions) person() *terminal.Person {
	if o.form.Structured() || o.only || !terminal.Is(o.Stdin) {
		return nil
	}
	return terminal.OpenPerson(o.again)
}
