package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/pin"
	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// ChangeOptions are the options of commands that edit files of the user. Such a command shows its change
// first, and can undo it.
type ChangeOptions struct {
	*App
	Yes  bool
	Undo bool
	Form terminal.Form

	Shown io.Writer    // the change is shown there; nil: on standard output
	Begin func() error // called when the user has agreed, before files change; may be nil
}

// AddFlags adds --yes, --undo and the flags of the output.
func (o *ChangeOptions) AddFlags(c *cobra.Command) {
	c.Flags().BoolVarP(&o.Yes, "yes", "y", false, "write the change without asking")
	c.Flags().BoolVar(&o.Undo, "undo", false, "take back the last change of this command")
	terminal.AddForm(c.Flags(), &o.Form, "print the change as JSON")
}

// CarryOut shows a change, asks the user, writes it with a backup, and prints the result. again is the
// command that writes it without a question.
func (o *ChangeOptions) CarryOut(ctx context.Context, kind, again string, plan *clients.Import) error {
	r, err := o.Change(ctx, kind, again, plan)
	if err == nil && o.Form.Structured() {
		err = o.Form.Write(o.Stdout, r)
	}
	return err
}

// Change is like CarryOut, but returns the result instead of printing it.
func (o *ChangeOptions) Change(ctx context.Context, kind, again string, plan *clients.Import) (clients.Result, error) {
	if err := o.show(plan); err != nil {
		return clients.Result{}, err
	}
	r := clients.NewResult(plan)
	if len(plan.Changes) == 0 {
		return r, nil
	}
	write, err := o.confirm(ctx, again)
	if err == nil && write {
		r.Backup, err = o.write(ctx, kind, plan)
		r.Written = err == nil
	}
	return r, err
}

// show prints the change as a diff, and its notes.
func (o *ChangeOptions) show(plan *clients.Import) error {
	to := o.Stdout
	if o.Shown != nil {
		to = o.Shown
	}
	if !o.Form.Structured() {
		for _, change := range plan.Changes {
			state := ""
			if change.New() {
				state = " (new)"
			}
			if _, err := fmt.Fprintf(to, "%s%s\n%s", terminal.Visible(change.File.Path), state, change.Diff()); err != nil {
				return err
			}
		}
	}
	for _, left := range plan.Told() {
		subject := left.Client
		if left.Name != "" {
			subject = left.Name + " of " + left.Client
		}
		o.Say("left out: %s: %s (%s)", subject, left.Why, left.From)
	}
	for _, note := range plan.Notes {
		o.Say("note: %s", note)
	}
	return nil
}

// confirm reports whether to write the change.
func (o *ChangeOptions) confirm(ctx context.Context, again string) (bool, error) {
	if o.Yes {
		return true, nil
	}
	if !terminal.Is(o.Stdin) {
		o.Say("nothing was written; to write it, run: %s", again)
		return false, nil
	}
	answer, err := o.Ask(ctx, "Write this? [y/N] ")
	switch {
	case errors.Is(err, terminal.ErrNoAnswer):
		o.Say("\nnothing was written; to write it, run: %s", again)
		return false, nil
	case err != nil:
		return false, err
	case !terminal.Affirmed(answer):
		o.Say("nothing was written")
	}
	return terminal.Affirmed(answer), nil
}

// begin prepares for a change of files. It returns the store of backups, and the configuration files of the
// command. If an agent has started the command, the next changes of the user's servers count as differences from
// their pins. Changes that the user makes do not count.
func (o *ChangeOptions) begin() (b clients.Backups, configs []string, err error) {
	options := o.Host.ConfigOptions(false)
	data, err := config.DataDir(options)
	files, failed := config.Locate(options)
	if err = errors.Join(err, failed); err == nil && o.Begin != nil {
		err = o.Begin()
	}
	if err == nil && o.Agent() != "" {
		err = pin.Folder(filepath.Join(data, "pins")).Mark()
	}
	return clients.Backups{Folder: filepath.Join(data, "backups"), Now: time.Now}, config.Paths(files), err
}

// write writes the files, prints the next steps, and returns the folder of the backup.
func (o *ChangeOptions) write(ctx context.Context, kind string, plan *clients.Import) (string, error) {
	backups, configs, err := o.begin()
	if err != nil {
		return "", err
	}
	folder, err := backups.Apply(kind, plan.Changes)
	if err != nil {
		return "", err
	}
	for _, change := range plan.Changes {
		o.Say("wrote %s", change.File.Path)
	}
	o.Say("backup: %s", folder)
	if len(plan.Variables) > 0 {
		o.Say("set these variables before the servers start:")
	}
	for _, v := range plan.Variables {
		o.Say("  export %s=…  # %s: %s", v.Name, v.Server, cmp.Or(v.Why, "see the documentation of the server"))
	}
	for _, change := range plan.Changes {
		path := change.File.Path
		if change.File.Project && !plan.Trusted && isConfig(path, configs) {
			o.Say("%s starts nothing before you trust it: %s", path, toolscript.Command("trust", filepath.Dir(path)))
			continue
		}
		o.reload(ctx, path, configs)
	}
	return folder, nil
}

// isConfig reports whether a file may be a configuration of gateways rather than a file of another client.
func isConfig(path string, configs []string) bool {
	return filepath.Base(path) == config.FileName || slices.Contains(configs, path)
}

// reload reloads the gateways that use a changed file.
func (o *ChangeOptions) reload(ctx context.Context, path string, configs []string) {
	if !isConfig(path, configs) {
		return
	}
	if err := o.ReloadUsers(ctx, path); err != nil {
		o.Warn("%v", err)
	}
}

// TakeBack undoes the last change of a kind.
func (o *ChangeOptions) TakeBack(ctx context.Context, kind string) error {
	backups, configs, err := o.begin()
	if err != nil {
		return err
	}
	paths, err := backups.Undo(kind)
	if err != nil {
		return err
	}
	r := clients.NewResult(&clients.Import{})
	r.Written = true
	for _, path := range paths {
		o.Say("restored %s", path)
		r.Files = append(r.Files, clients.ChangedFile{Path: path})
		o.reload(ctx, path, configs)
	}
	if o.Form.Structured() {
		return o.Form.Write(o.Stdout, r)
	}
	return nil
}

// Where returns the places of other clients, and the files of toolscript.
func (o *ChangeOptions) Where() (clients.Places, clients.Targets, error) {
	places, err := clients.FindPlaces(o.Dir, o.LookupEnv)
	if err != nil {
		return places, clients.Targets{}, err
	}
	targets, err := places.Targets(o.Host.ConfigOptions(false))
	return places, targets, err
}

// ConfigFiles returns the absolute paths of the files of --config; nil if toolscript finds its files without
// the flag.
func (o *ChangeOptions) ConfigFiles() ([]string, error) {
	if o.configs == "" || o.Getenv("TOOLSCRIPT_CONFIG") == o.configs {
		return nil, nil
	}
	files, err := config.Locate(o.Host.ConfigOptions(false))
	return config.Paths(files), err
}
