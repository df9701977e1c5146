package exec

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type saveOptions struct {
	*Options
	user, force bool
	form        terminal.Form
}

// NewSave returns the command save.
func NewSave(a *app.App) *cobra.Command {
	o := &saveOptions{Options: NewOptions(a, "toolscript save")}
	c := &cobra.Command{
		Use:                   "save [flags] NAME FILE.ts | -",
		DisableFlagsInUseLine: true,
		Short:                 "Save a script, to run it by name and to call it from scripts",
		Long: `Save a script, to run it by name and to call it from scripts.

The script exports a function as default. Its only parameter is an object, whose members
are the parameters of the script:

  /** Counts the open issues of a repository. */
  export default async function (p: { repo: string; days?: number }) { … }

The types of the script are checked first. Then toolscript run NAME runs it, and other
scripts call it as tools.$scripts.NAME({ repo: "octo/cat" }). The file is kept in
.toolscript/scripts beside the configuration of the project; without a project, or with
--user, beside that of the user. A script of a project has effect when its text is
trusted: with this command at a terminal, else with toolscript trust.`,
		Example: `  toolscript save openIssues issues.ts
  toolscript run openIssues repo=octo/cat`,
		Args: app.Takes("NAME", "FILE.ts"),
		RunE: func(c *cobra.Command, args []string) error { return o.save(c.Context(), args[0], args[1]) },
	}
	f := c.Flags()
	f.BoolVar(&o.user, "user", false, "save it for all projects of the user")
	f.BoolVar(&o.force, "force", false, "replace a script of that name")
	app.AddTrust(f, &o.Trust)
	terminal.AddForm(f, &o.form, "print where the script is, as JSON")
	return c
}

// SavedResult is the output of save --json.
type SavedResult struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	Trusted bool   `json:"trusted"` // the script has effect now
}

func (o *saveOptions) save(ctx context.Context, name, path string) error {
	if err := config.CheckScriptName(name); err != nil {
		return &toolscript.Error{Kind: toolscript.Invalid, Err: err}
	}
	if !filepath.IsLocal(name + config.ScriptExtension) {
		return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("%q cannot be the name of a script: on Windows, it is a device", name)}
	}
	file, err := scriptsFile(o.App, o.user)
	if err != nil {
		return err
	}
	o.Script.File = path
	src, err := o.findScript(ctx, nil)
	if err != nil {
		return err
	}
	if len(src.Code) > config.MaxScript {
		return &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf("the script has %d bytes; a saved script has at most %d", len(src.Code), config.MaxScript)}
	}
	signed := &Signed{Stderr: o.Stderr}
	src.Stdin, src.Modules = nil, nil // a saved script is one file
	if err := o.signing().exec(ctx, src, signed); err != nil {
		return err
	}
	saved := config.SavedScript{SavedScript: toolscript.SavedScript{
		Name: name, Path: filepath.Join(config.ScriptsDir(file), name+config.ScriptExtension), Code: src.Code,
	}, File: file}
	if err := config.WriteScript(saved, o.force); err != nil {
		return err
	}
	trusted := !file.Project
	if terminal.Is(o.Stdin) {
		if trusted, err = config.TrustScript(o.Host.ConfigOptions(false), saved); err != nil {
			return err
		}
	}
	return o.saved(ctx, file, SavedResult{name, saved.Path, trusted})
}

// saved prints the result and reloads the running gateways.
func (o *saveOptions) saved(ctx context.Context, file config.File, r SavedResult) error {
	if o.form.Structured() {
		if err := o.form.Write(o.Stdout, r); err != nil {
			return err
		}
	}
	o.Say("saved %s", r.Path)
	if !r.Trusted {
		o.Say("it has no effect before you run: toolscript trust")
	}
	return o.ReloadUsers(ctx, file.Path)
}

// signing returns the options of a request that checks a script and describes the function that it exports.
func (o *Options) signing() *Options {
	only := *o
	only.only, only.sign = true, true
	return &only
}

// scriptsFile returns the configuration file whose folder gets saved scripts: the file of the project if
// there is one, else the file of the user. If user is true, it is always the file of the user.
func scriptsFile(a *app.App, user bool) (config.File, error) {
	files, err := config.Locate(a.Host.ConfigOptions(false))
	if err != nil {
		return config.File{}, err
	}
	own := slices.IndexFunc(files, func(f config.File) bool { return !f.Project && !f.Named })
	switch {
	case user && own < 0:
		return config.File{}, &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New("--user has no effect with a named configuration; leave out --user, or --config and TOOLSCRIPT_CONFIG")}
	case user:
		return files[own], nil
	case len(files) == 0:
		return config.File{}, &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New("there is no folder for saved scripts: HOME is not set")}
	}
	return files[len(files)-1], nil
}
