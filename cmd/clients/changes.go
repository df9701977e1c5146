package clients

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// Changer applies changes to files of the user: it shows them, asks, writes them with a backup, and
// can undo them.
type Changer struct {
	Stdin   io.Reader
	Stdout  io.Writer
	Form    terminal.Form
	Yes     bool // write changes without asking
	Backups Backups
	Files   []string // configuration files of the command, whatever their names

	Say, Warn func(format string, args ...any)
	Ask       func(ctx context.Context, prompt string) (answer string, err error) // asks the user
	Reload    func(ctx context.Context, path string) error                        // reloads the gateways that use a file
	Begin     func() error                                                        // called before files change; may be nil
}

// CarryOut shows a change, asks the user, writes it, and prints the result. again is the
// command that writes it without asking.
func (c *Changer) CarryOut(ctx context.Context, kind, again string, plan *Import) error {
	r, err := c.Apply(ctx, kind, again, plan)
	if err == nil && c.Form.Structured() {
		err = c.Form.Write(c.Stdout, r)
	}
	return err
}

// Apply is like CarryOut, but returns the result instead of printing it.
func (c *Changer) Apply(ctx context.Context, kind, again string, plan *Import) (Result, error) {
	if err := c.show(plan); err != nil {
		return Result{}, err
	}
	r := NewResult(plan)
	if len(plan.Changes) == 0 {
		return r, nil
	}
	write, err := c.confirm(ctx, again)
	if err == nil && write {
		r.Backup, err = c.apply(ctx, kind, plan)
		r.Written = err == nil
	}
	return r, err
}

// show prints the change as a diff, and its notes.
func (c *Changer) show(plan *Import) error {
	if !c.Form.Structured() {
		for _, change := range plan.Changes {
			state := ""
			if change.New() {
				state = " (new)"
			}
			if _, err := fmt.Fprintf(c.Stdout, "%s%s\n%s", terminal.Visible(change.File.Path), state, change.Diff()); err != nil {
				return err
			}
		}
	}
	for _, left := range plan.Told() {
		subject := left.Client
		if left.Name != "" {
			subject = left.Name + " of " + left.Client
		}
		c.Say("left out: %s: %s (%s)", subject, left.Why, left.From)
	}
	for _, note := range plan.Notes {
		c.Say("note: %s", note)
	}
	return nil
}

// confirm reports whether to write the change.
func (c *Changer) confirm(ctx context.Context, again string) (bool, error) {
	if c.Yes {
		return true, nil
	}
	if !terminal.Is(c.Stdin) {
		c.Say("nothing was written; to write it, run: %s", again)
		return false, nil
	}
	answer, err := c.Ask(ctx, "Write this? [y/N] ")
	if errors.Is(err, terminal.ErrNoAnswer) {
		c.Say("\nnothing was written; to write it, run: %s", again)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !terminal.Affirmed(answer) {
		c.Say("nothing was written")
		return false, nil
	}
	return true, nil
}

// apply writes the files, prints the next steps, and returns the folder of the backup.
func (c *Changer) apply(ctx context.Context, kind string, plan *Import) (string, error) {
	if err := c.begin(); err != nil {
		return "", err
	}
	folder, err := c.Backups.Apply(kind, plan.Changes)
	if err != nil {
		return "", err
	}
	for _, change := range plan.Changes {
		c.Say("wrote %s", change.File.Path)
	}
	c.Say("backup: %s", folder)
	if len(plan.Variables) > 0 {
		c.Say("set these variables before the servers start:")
	}
	for _, v := range plan.Variables {
		c.Say("  export %s=…  # %s: %s", v.Name, v.Server, cmp.Or(v.Why, "see the documentation of the server"))
	}
	for _, change := range plan.Changes {
		if !c.isConfig(change.File.Path) {
			continue
		}
		if change.File.Project && !plan.Trusted {
			c.Say("%s starts nothing before you trust it: %s", change.File.Path, toolscript.Command("trust", filepath.Dir(change.File.Path)))
			continue
		}
		if err := c.Reload(ctx, change.File.Path); err != nil {
			c.Warn("%v", err)
		}
	}
	return folder, nil
}

// isConfig reports whether a file may be a configuration of gateways rather than a file of another client.
func (c *Changer) isConfig(path string) bool {
	return filepath.Base(path) == config.FileName || slices.Contains(c.Files, path)
}

func (c *Changer) begin() error {
	if c.Begin == nil {
		return nil
	}
	return c.Begin()
}

// TakeBack undoes the last change of a kind.
func (c *Changer) TakeBack(ctx context.Context, kind string) error {
	if err := c.begin(); err != nil {
		return err
	}
	paths, err := c.Backups.Undo(kind)
	if err != nil {
		return err
	}
	r := NewResult(&Import{})
	r.Written = true
	for _, path := range paths {
		c.Say("restored %s", path)
		r.Files = append(r.Files, ChangedFile{Path: path})
		if c.isConfig(path) {
			if err := c.Reload(ctx, path); err != nil {
				c.Warn("%v", err)
			}
		}
	}
	if c.Form.Structured() {
		return c.Form.Write(c.Stdout, r)
	}
	return nil
}
