package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/zone"
)

type execOptions struct {
	*app
	command string // its name, for usage errors
	eval    string
	evalSet bool
	file    string
	dashed  bool // there is a -- on the command line
	only    bool // check the script and run nothing

	limits limitFlags
	check  choiceFlag
	engine choiceFlag
	allow  []string
	cwd    string
	out    string
	trust  bool
	json   bool
	search searchFlags
}

func newExec(a *app) *cobra.Command {
	o := newExecOptions(a, "toolscript exec")
	c := &cobra.Command{
		Use:                   "exec [flags] CODE | FILE.ts | -e CODE | -f FILE | - [-- ARGS]",
		DisableFlagsInUseLine: true,
		Short:                 "Run TypeScript in the sandbox",
		Long: `Run TypeScript in the sandbox.

The script reaches the tools through the one import there is, together with its
standard input and its arguments:

  import { tools, stdin, args } from "toolscript";

What it returns is printed as JSON; console.log goes to stdout and console.error
to stderr as they happen. Arguments for the script follow FILE.ts or --.

A running gateway is used when there is one for this configuration. Without one,
exec starts the servers that the script uses and stops them when it has ended.`,
		Example: `  toolscript exec 'import { tools } from "toolscript"; return await tools.demo.listFiles({})'
  toolscript exec report.ts -- --since monday
  toolscript exec - < report.ts`,
		RunE: func(c *cobra.Command, args []string) error {
			o.evalSet = c.Flags().Changed("eval")
			o.dashed = c.ArgsLenAtDash() >= 0
			return o.run(c.Context(), args)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.eval, "eval", "e", "", "run this `code`")
	f.StringVarP(&o.file, "file", "f", "", "run this `file`; - is standard input")
	o.limits.add(f)
	f.Var(&o.check, "check", "what type errors do: nothing, a message, or keep the script from running (default error)")
	f.Var(&o.engine, "engine", "which sandbox runs it")
	f.StringSliceVar(&o.allow, "allow", nil, "the only `servers and tool ids` the script may call; '' for none")
	f.StringVar(&o.cwd, "cwd", "", "what the script sees as its working `folder`")
	f.StringVar(&o.out, "out", "", "write the value to this `file` instead of stdout")
	f.BoolVar(&o.trust, "trust", false, "let the project's configuration take effect this once")
	o.search.add(f)
	o.search.hide(f)
	f.BoolVar(&o.json, "json", false, "print nothing but the end of the run as JSON, output included")
	return c
}

func newExecOptions(a *app, command string) *execOptions {
	return &execOptions{
		app: a, command: command,
		check:  choiceFlag{choices: toolscript.Checks()},
		engine: choiceFlag{choices: toolscript.Engines()},
	}
}

// runFile is toolscript FILE.ts [args]: exec -f FILE.ts, where everything after
// the name belongs to the script.
func (a *app) runFile(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	if !a.isScript(args[0]) && !a.isFile(args[0]) {
		return unknownCommand(c, args[0])
	}
	o := newExecOptions(a, c.CommandPath())
	o.file = args[0]
	rest := args[1:]
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	return o.run(c.Context(), rest)
}

func (o *execOptions) run(ctx context.Context, args []string) error {
	src, err := o.source(ctx, args)
	if err == nil && o.out != "" {
		err = creatable(o.absolute(o.out))
	}
	var wrong *usageError
	switch {
	case errors.As(err, &wrong):
		return err
	case err != nil:
		return o.events().finish(err)
	}
	return o.exec(ctx, src, o.events())
}

// creatable says why a file could not be written, before a script runs for
// nothing.
func creatable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("--out %s is a folder; name a file", path)
	case err == nil && !info.Mode().IsRegular():
		return nil // a pipe, of which opening it would wait for a reader
	}
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(path, os.O_WRONLY, 0) //nolint:gosec // G304: the file that the user names
	} else if f, err = os.CreateTemp(filepath.Dir(path), ".toolscript-*"); err == nil {
		defer func() { _ = os.Remove(f.Name()) }() //nolint:gosec // G703: made only to see whether it can be
	}
	if err != nil {
		return fmt.Errorf("--out %s cannot be written, so nothing was run: %s", path, withoutPath(err))
	}
	return f.Close()
}

// request is the run that the options ask for.
func (o *execOptions) request(src source) toolscript.ExecRequest {
	check := o.check.value
	if o.only { // whatever the configuration says of runs
		check = toolscript.CheckError
	}
	return toolscript.ExecRequest{
		Code:      src.code,
		File:      src.file,
		Args:      src.args,
		Cwd:       o.absolute(o.cwd),
		TZ:        zone.Of(o.getenv("TZ")),
		Engine:    o.engine.value,
		Check:     check,
		Allow:     o.allow,
		Limits:    o.limits.limits(),
		Stdin:     src.stdin != nil,
		CheckOnly: o.only,
	}
}

func (o *execOptions) events() events {
	out := o.out
	if out != "" {
		out = o.absolute(out)
	}
	if o.json {
		return &captured{to: o.Stdout, out: out, keep: o.keepValue}
	}
	return &live{stdout: ownTerminal(o.Stdout), stderr: ownTerminal(o.Stderr), out: out, keep: o.keepValue}
}
