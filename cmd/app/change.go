package app

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

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
}

// AddFlags adds --yes, --undo and the flags of the output.
func (o *ChangeOptions) AddFlags(c *cobra.Command) {
	c.Flags().BoolVarP(&o.Yes, "yes", "y", false, "write the change without asking")
	c.Flags().BoolVar(&o.Undo, "undo", false, "take back the last change of this command")
	terminal.AddForm(c.Flags(), &o.Form, "print the change as JSON")
}

// Changer returns a Changer that asks at the terminal.
func (o *ChangeOptions) Changer() (*clients.Changer, error) {
	options := o.Host.ConfigOptions(false)
	data, err := config.DataDir(options)
	options.Missing = true
	files, failed := config.Locate(options)
	return &clients.Changer{
		Files: config.Paths(files),
		Stdin: o.Stdin, Stdout: o.Stdout, Form: o.Form, Yes: o.Yes, Say: o.Say, Warn: o.Warn, Ask: o.Ask, Reload: o.ReloadUsers, Begin: func() error { return o.markPins(data) },
		Backups: clients.Backups{Folder: filepath.Join(data, "backups"), Now: time.Now},
	}, errors.Join(err, failed)
}

// markPins makes the next changes of the user's servers count as differences from their pins if an agent has
// started this command. Changes that the user makes do not count.
func (o *ChangeOptions) markPins(data string) error {
	if o.Agent() == "" || data == "" { // without a data folder there are no pins
		return nil
	}
	return pin.Folder(filepath.Join(data, "pins")).Mark()
}

// CarryOut shows a change, asks, writes it, and prints the result. again is the
// command that writes it without a question.
func (o *ChangeOptions) CarryOut(ctx context.Context, kind, again string, plan *clients.Import) error {
	c, err := o.Changer()
	if err != nil {
		return err
	}
	return c.CarryOut(ctx, kind, again, plan)
}

// TakeBack undoes the last change of a kind.
func (o *ChangeOptions) TakeBack(ctx context.Context, kind string) error {
	c, err := o.Changer()
	if err != nil {
		return err
	}
	return c.TakeBack(ctx, kind)
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
