package exec

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/internal/texts"
	"github.com/toolscript/toolscript/runner"
)

// NewRun returns the command run.
func NewRun(a *app.App) *cobra.Command {
	o := NewOptions(a, "toolscript run")
	c := &cobra.Command{
		Use:                   "run [flags] [NAME [KEY=VALUE | KEY:=JSON]... | NAME -]",
		DisableFlagsInUseLine: true,
		Short:                 "Run a saved script",
		Long: `Run a saved script. Without NAME, list the saved scripts.

KEY=VALUE is a parameter of the script; the value becomes a number, a boolean or null if
the type of the parameter wants that. KEY:=JSON is a parameter as JSON. Both take values from
files, as toolscript call does. With "-" the parameters are one JSON object on standard
input. They are checked before the script runs. The output, the flags and the exit codes are
those of toolscript exec.`,
		Example: `  toolscript run openIssues repo=octo/cat days=7
  toolscript run openIssues repo=octo/cat labels:='["bug"]'
  echo '{"repo": "octo/cat"}' | toolscript run openIssues -`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listScripts(a, o.Form, o.Trust)
			}
			return o.runSaved(c.Context(), args[0], args[1:])
		},
	}
	o.addRunFlags(c.Flags())
	return c
}

func (o *Options) runSaved(ctx context.Context, name string, words []string) error {
	saved, err := o.findSaved(name)
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
	at, release, err := o.Place(ctx)
	if err != nil {
		return o.output().Finish(err)
	}
	defer release()
	src := Script{Code: saved.Code, File: name + config.ScriptExtension, Stdin: o.Stdin}
	if o.param, err = o.readParameters(ctx, at, src, words); err != nil {
		var failed *app.Error
		if errors.As(err, &failed) { // the findings are printed
			return err
		}
		return o.output().Finish(err)
	}
	if readsStdin(words) {
		src.Stdin = nil
	}
	if o.detach {
		return o.begin(ctx, o.Request(src))
	}
	return Run(ctx, at, o.Request(src), src.Stdin, Noted(o.App, o.output()), o.Person())
}

// readsStdin reports whether the parameters are on standard input.
func readsStdin(words []string) bool { return slices.Equal(words, []string{"-"}) }

// readParameters asks for the signature of the script, and reads the parameters that fit it.
func (o *Options) readParameters(ctx context.Context, at HarnessPlace, src Script, words []string) (json.RawMessage, error) {
	var findings bytes.Buffer
	signed := &Signed{Stderr: &findings}
	err := Run(ctx, at, o.signing().Request(src), nil, signed, nil)
	if err != nil {
		_, _ = o.Stderr.Write(findings.Bytes()) // the error says that there are findings
		return nil, err
	}
	var signature runner.Signature
	if err := json.Unmarshal(signed.Description, &signature); err != nil {
		return nil, err
	}
	return o.parameters(ctx, words, signature)
}

// maxParameters bounds the parameters on standard input, in bytes.
const maxParameters = 16 << 20

// parameters reads the parameters of a script, and checks them.
func (o *Options) parameters(ctx context.Context, words []string, s runner.Signature) (json.RawMessage, error) {
	schema := s.Params
	if !s.Function {
		schema = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
	}
	return o.object(ctx, words, schema)
}

// object reads an object that fits a schema, from the words of the command line or from
// standard input.
func (o *Options) object(ctx context.Context, words []string, schema json.RawMessage) (json.RawMessage, error) {
	if !readsStdin(words) {
		return ParseArguments(ctx, o.Dir, words, schema)
	}
	text, err := o.Input(ctx, rawjson.SkipMark(o.Stdin), maxParameters+1)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the parameters from standard input: %w", err)
	case len(text) > maxParameters:
		return nil, fmt.Errorf("the parameters on standard input have more than %d MB", maxParameters>>20)
	case texts.CheckUTF8(text) != nil:
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("standard input is %w", texts.CheckUTF8(text))}
	case !json.Valid(text) || !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")):
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("standard input is not a JSON object")}
	}
	return FitArguments(ctx, text, schema)
}

// findSaved returns the saved script of this name, or an error if it is not trusted.
func (o *Options) findSaved(name string) (config.SavedScript, error) {
	loaded, err := config.Load(o.Host.ConfigOptions(o.Trust))
	if err != nil {
		return config.SavedScript{}, err
	}
	var names []string
	for _, s := range loaded.Scripts {
		switch {
		case s.Name == name && s.Trusted:
			return s, nil
		case s.Name == name:
			return s, &toolscript.Error{Kind: toolscript.Forbidden, Err: fmt.Errorf("the script %s is not trusted, or has changed since; look at it and run: toolscript trust", name)}
		}
		names = append(names, s.Name)
	}
	text := fmt.Sprintf("there is no saved script %.80q", name)
	near := naming.Nearest(name, names, 3)
	switch {
	case IsScript(o.Dir, name):
		text += "; to run the file: " + toolscript.Command("exec", name)
	case len(near) > 0:
		text += naming.DidYouMean(near)
	case len(names) > 0:
		text += "; there are: " + strings.Join(names, ", ")
	default:
		text += "; save one with: toolscript save NAME FILE.ts"
	}
	return config.SavedScript{}, &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New(text)}
}
