package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/terminal"
)

func newCheck(a *app) *cobra.Command {
	var out form
	o := newExecOptions(a, "toolscript check")
	c := &cobra.Command{
		Use:                   "check [flags] CODE | FILE.ts | -e CODE | -f FILE | -",
		DisableFlagsInUseLine: true,
		Short:                 "Find the mistakes of a script without running it",
		Long: `Find the mistakes of a script without running it.

The script is compiled and its types are checked against the tools of the servers,
as before a run. Each mistake is printed as file:line:column with the message of
TypeScript. The exit code is 1 if there is a mistake. Without a running gateway, the
servers that the script uses are started.

Parameters need no types, and values may be undefined, because most scripts are used
once. --strict checks as "strict" of TypeScript does.`,
		Example: `  toolscript check report.ts
  toolscript check --strict report.ts
  toolscript check - < report.ts`,
		RunE: func(c *cobra.Command, args []string) error {
			o.evalSet = c.Flags().Changed("eval")
			src, err := o.source(c.Context(), args)
			if err != nil {
				return err
			}
			if len(src.args) > 0 {
				return o.usage("unexpected argument %q", src.args[0])
			}
			return o.checkOnly(c.Context(), src, out)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.eval, "eval", "e", "", "check this `code`")
	f.StringVarP(&o.file, "file", "f", "", "check this `file`; - is standard input")
	addTrust(f, &o.trust)
	f.BoolVar(&o.strict, "strict", false, "check as TypeScript's strict mode does, for scripts that will be used again")
	addForm(f, &out, "print the findings as JSON")
	return c
}

// checkOnly makes a request that ends after the check of the script.
func (o *execOptions) checkOnly(ctx context.Context, src source, out form) error {
	src.stdin = nil
	o.only = true
	return o.exec(ctx, src, &findings{stdout: o.Stdout, stderr: o.Stderr, form: out})
}

// findings prints the diagnostics of a script.
type findings struct {
	stdout, stderr io.Writer
	form           form
	found          []toolscript.Diagnostic
	end            *toolscript.End
}

func (f *findings) event(e toolscript.Event) (err error) {
	switch e.Type {
	case toolscript.EventProgress:
		_, err = fmt.Fprintf(f.stderr, "toolscript: %s\n", terminal.VisibleText(e.Message))
	case toolscript.EventDiagnostic:
		f.found = append(f.found, *e.Diagnostic)
	case toolscript.EventEnd:
		f.end = e.End
	default: // a script that is only checked has no other events
	}
	return err
}

// finish prints the findings. If the script could not be checked, that is an error of
// the command and not a finding.
func (f *findings) finish(failed error) error {
	switch {
	case failed != nil:
		return failed
	case f.end == nil:
		return errNoEnd
	case f.end.Error != nil && len(f.found) == 0:
		return errors.New(f.end.Error.Message)
	}
	if err := f.print(); err != nil {
		return err
	}
	return exitOf(f.end)
}

func (f *findings) print() error {
	if f.form.structured() {
		return f.form.write(f.stdout, struct {
			OK          bool                    `json:"ok"`
			Diagnostics []toolscript.Diagnostic `json:"diagnostics"`
		}{f.end.OK, append([]toolscript.Diagnostic{}, f.found...)})
	}
	for _, d := range f.found {
		if _, err := io.WriteString(f.stdout, diagnosticText(&d)); err != nil {
			return err
		}
	}
	return nil
}
