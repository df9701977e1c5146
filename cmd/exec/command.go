package exec

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
)

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
