package exec

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// NewScripts returns the command scripts.
func NewScripts(a *app.App) *cobra.Command {
	var (
		f     terminal.Form
		trust bool
	)
	list := func(*cobra.Command, []string) error { return listScripts(a, f, trust) }
	add := func(c *cobra.Command) *cobra.Command {
		terminal.AddForm(c.Flags(), &f, "print the scripts as JSON")
		app.AddTrust(c.Flags(), &trust)
		return c
	}
	c := add(&cobra.Command{
		Use: "scripts", Short: "List, show and remove saved scripts", Args: app.Takes(), RunE: list,
		Long: `List, show and remove saved scripts.

The scripts of the project are in .toolscript/scripts beside its configuration, and those
of the user beside the user's. A script of the project hides one of the user with the
same name.`,
	})
	c.AddCommand(add(&cobra.Command{Use: "list", Short: "List the saved scripts", Args: app.Takes(), RunE: list}), newScriptsShow(a), newScriptsRemove(a))
	return c
}

// ListedScript is a saved script in the output of scripts --json.
type ListedScript struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	Project bool   `json:"project"` // false: the user's script
	Trusted bool   `json:"trusted"` // the script has effect
	Code    string `json:"code,omitempty"`
}

func listed(s config.SavedScript) ListedScript {
	return ListedScript{Name: s.Name, Path: s.Path, Project: s.File.Project, Trusted: s.Trusted}
}

func listScripts(a *app.App, f terminal.Form, trust bool) error {
	loaded, err := config.Load(a.Host.ConfigOptions(trust))
	if err != nil {
		return err
	}
	all := []ListedScript{}
	t := terminal.Table{Header: []string{"Script", "Trusted", "File"}}
	for _, s := range loaded.Scripts {
		all = append(all, listed(s))
		trusted := "yes"
		if !s.Trusted {
			trusted = "no"
		}
		t.Add(s.Name, trusted, s.Path)
	}
	switch {
	case f.Structured():
		return f.Write(a.Stdout, all)
	case len(all) == 0:
		a.Say("no script is saved; save one with: toolscript save NAME FILE.ts")
		return nil
	}
	return t.Write(a.Stdout, terminal.Columns(a.Stdout), nil)
}

// savedScript returns the saved script of this name, trusted or not.
func savedScript(a *app.App, name string) (config.SavedScript, error) {
	loaded, err := config.Load(a.Host.ConfigOptions(false))
	if err != nil {
		return config.SavedScript{}, err
	}
	i := slices.IndexFunc(loaded.Scripts, func(s config.SavedScript) bool { return s.Name == name })
	if i < 0 {
		return config.SavedScript{}, &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("there is no saved script %.80q; list them with: toolscript scripts", name)}
	}
	return loaded.Scripts[i], nil
}

func newScriptsShow(a *app.App) *cobra.Command {
	var f terminal.Form
	c := &cobra.Command{
		Use: "show NAME", Short: "Print the text of a saved script", Args: app.Takes("NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := savedScript(a, args[0])
			if err != nil {
				return err
			}
			if f.Structured() {
				one := listed(s)
				one.Code = s.Code
				return f.Write(a.Stdout, one)
			}
			out := terminal.Filter(a.Stdout)
			_, err = io.WriteString(out, s.Code)
			return errors.Join(err, out.Close())
		},
	}
	terminal.AddForm(c.Flags(), &f, "print the script with its file as JSON")
	return c
}

func newScriptsRemove(a *app.App) *cobra.Command {
	var f terminal.Form
	c := &cobra.Command{
		Use: "remove NAME", Short: "Delete the file of a saved script", Args: app.Takes("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := savedScript(a, args[0])
			if err != nil {
				return err
			}
			if err := os.Remove(s.Path); err != nil {
				return err
			}
			if f.Structured() {
				if err := f.Write(a.Stdout, listed(s)); err != nil {
					return err
				}
			}
			a.Say("removed %s", s.Path)
			return a.ReloadUsers(c.Context(), s.File.Path)
		},
	}
	terminal.AddForm(c.Flags(), &f, "print the script as JSON")
	return c
}
