package exec

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// NewCheck returns the command check.
func NewCheck(a *app.App) *cobra.Command {
	var out terminal.Form
	o := NewOptions(a, "toolscript check")
	c := &cobra.Command{
		Use:                   "check [flags] CODE | FILE.ts... | -e CODE | -f FILE | -",
		DisableFlagsInUseLine: true,
		Short:                 "Find the mistakes of a script without running it",
		Long: `Find the mistakes of a script without running it.

The script is compiled and its types are checked against the tools of the servers,
as before a run. Each mistake is printed as file:line:column with the message of
TypeScript. The exit code is 1 if there is a mistake. Without a running gateway, the
types are those of the tools that the servers sent last; servers that the script uses and
that have no list yet are started.

Parameters need no types, and values may be undefined, because most scripts are used
once. --strict checks as "strict" of TypeScript does.`,
		Example: `  toolscript check report.ts
  toolscript check --strict report.ts
  toolscript check - < report.ts`,
		RunE: func(c *cobra.Command, args []string) error {
			o.Script.HasEval = c.Flags().Changed("eval")
			if len(args) > 1 && !o.Script.HasEval && o.Script.File == "" {
				return o.checkFilesOnly(c.Context(), args, out)
			}
			src, err := o.findScript(c.Context(), args)
			if err != nil {
				return err
			}
			if len(src.Args) > 0 {
				return app.Usage(o.Script.Command, "unexpected argument %q", src.Args[0])
			}
			return o.checkOnly(c.Context(), src, out)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.Script.Eval, "eval", "e", "", "check this `code`")
	f.StringVarP(&o.Script.File, "file", "f", "", "check this `file`; - is standard input")
	app.AddTrust(f, &o.Trust)
	f.BoolVar(&o.strict, "strict", false, "check as TypeScript's strict mode does, for scripts that will be used again")
	terminal.AddForm(f, &out, "print the findings as JSON")
	return c
}

// checkFilesOnly checks several files. It returns the error of the first file with a mistake.
func (o *Options) checkFilesOnly(ctx context.Context, files []string, out terminal.Form) error {
	var scripts []Script
	for _, file := range files {
		if !IsScript(o.Dir, file) {
			return app.Usage(o.Script.Command, "unexpected argument %q: with several, each is a script FILE.ts", file)
		}
		src, err := o.findScript(ctx, []string{file})
		if err != nil {
			return err
		}
		scripts = append(scripts, src)
	}
	var first error
	for _, src := range scripts {
		err := o.checkOnly(ctx, src, out)
		if mistakes := (*app.Error)(nil); err != nil && !errors.As(err, &mistakes) {
			return err
		}
		first = cmp.Or(first, err)
	}
	return first
}

// checkOnly makes a request that ends after the check of the script.
func (o *Options) checkOnly(ctx context.Context, src Script, out terminal.Form) error {
	src.Stdin = nil
	o.only = true
	return o.exec(ctx, src, &Findings{Stdout: o.Stdout, Stderr: o.Stderr, Form: out, File: src.File})
}
