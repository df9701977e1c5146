package setup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/internal/naming"
)

// serverEdit is a command that changes the definitions of servers in their files.
type serverEdit struct {
	app.ChangeOptions
	name    string // name of the command
	edit    func(file clients.File, servers ...string) (*clients.Change, error)
	nothing string // message about a server that needs no change
}

const editHelp = `

The server is changed in the file that defines it: the project's file, else
~/.toolscript.json. The change is shown first. Running gateways of the file read it again.`

// NewRemove returns the command remove.
func NewRemove(a *app.App) *cobra.Command {
	o := &serverEdit{ChangeOptions: app.ChangeOptions{App: a}, name: "remove", edit: clients.RemoveServers}
	return o.command("Remove a server from the configuration", "Remove a server, or an account of a server such as github@work, from the configuration. Its login and its list of tools stay; see: toolscript auth logout. The files and secrets of a bundle (FILE.mcpb) are removed, and --undo does not bring them back."+editHelp)
}

// NewDisable returns the command disable.
func NewDisable(a *app.App) *cobra.Command {
	o := &serverEdit{ChangeOptions: app.ChangeOptions{App: a}, name: "disable", nothing: "is disabled already", edit: func(file clients.File, servers ...string) (*clients.Change, error) {
		return clients.SwitchServers(file, true, servers...)
	}}
	return o.command("Keep a server in the configuration without starting it", "Keep a server in the configuration without starting it. toolscript enable takes it back."+editHelp)
}

// NewEnable returns the command enable.
func NewEnable(a *app.App) *cobra.Command {
	o := &serverEdit{ChangeOptions: app.ChangeOptions{App: a}, name: "enable", nothing: "is enabled already", edit: func(file clients.File, servers ...string) (*clients.Change, error) {
		return clients.SwitchServers(file, false, servers...)
	}}
	return o.command("Start a server again that was disabled", "Start a server again that was disabled."+editHelp)
}

func (o *serverEdit) command(short, long string) *cobra.Command {
	c := &cobra.Command{
		Use: o.name + " SERVER...", Short: short, Long: long,
		Args: func(c *cobra.Command, args []string) error {
			if o.Undo {
				return app.Takes("[SERVER]...")(c, args)
			}
			return app.Takes("SERVER...")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if o.Undo {
				return o.TakeBack(c.Context(), o.name)
			}
			return o.run(c.Context(), args)
		},
	}
	o.AddFlags(c)
	return c
}

// run makes one change of all servers, so that it is written and taken back as one.
func (o *serverEdit) run(ctx context.Context, servers []string) error {
	plan := &clients.Import{Trusted: true}
	var files []clients.File
	of := map[string][]string{} // the servers that have to be changed, by the path of their file
	for _, server := range servers {
		file, others, err := DefinedIn(&o.ChangeOptions, server)
		if err != nil {
			return err
		}
		change, err := o.edit(file, server)
		switch {
		case err != nil:
			return err
		case change == nil:
			o.Say("%s %s", server, o.nothing)
		case of[file.Path] == nil:
			files = append(files, file)
			fallthrough
		default:
			of[file.Path] = append(of[file.Path], server)
		}
		if next := o.nextDefault(server, servers); next != "" {
			plan.Notes = append(plan.Notes, fmt.Sprintf("calls of %s that name no account use the account %s from then on", toolscript.WithoutAccount(server), next))
		}
		for _, other := range others {
			if o.name == "remove" {
				plan.Notes = append(plan.Notes, fmt.Sprintf("%s also defines a server %s, which is used from then on", other, server))
			}
		}
	}
	for _, file := range files {
		slices.Sort(of[file.Path])
		change, err := o.edit(file, slices.Compact(of[file.Path])...)
		if err != nil {
			return err
		}
		plan.Changes = append(plan.Changes, change)
	}
	change := func() error {
		return o.CarryOut(ctx, o.name, toolscript.Command(slices.Concat([]string{o.name}, servers, []string{"--yes"})...), plan)
	}
	if o.name != "remove" {
		return change()
	}
	return sweepBundles(ctx, &o.ChangeOptions, change)
}

// nextDefault returns the account that becomes the default of a server when the accounts in removed are removed. It
// is "" if name is not the default account, or if no account is left.
func (o *serverEdit) nextDefault(name string, removed []string) string {
	server, account := toolscript.CutAccount(name)
	_, accounts, err := accountOf(o.App, server, "", false)
	if o.name != "remove" || err != nil || len(accounts) == 0 || accounts[0] != account || slices.Contains(removed, server) {
		return ""
	}
	for _, next := range accounts {
		if !slices.Contains(removed, server+toolscript.AccountSeparator+next) {
			return next
		}
	}
	return ""
}

// DefinedIn returns the file whose definition of a server has effect, and the paths of the other files that
// define a server of this name.
func DefinedIn(o *app.ChangeOptions, server string) (file clients.File, others []string, err error) {
	files, err := config.Locate(o.Host.ConfigOptions(false))
	if err != nil {
		return file, nil, err
	}
	for _, f := range files {
		one := clients.File{Path: f.Path, Root: filepath.Dir(f.Path), Project: f.Project}
		has, err := clients.HasServer(one, server)
		if err != nil {
			return file, nil, err
		}
		if !has {
			continue
		}
		if file.Path != "" {
			others = append(others, file.Path)
		}
		file = one
	}
	if file.Path != "" {
		return file, others, nil
	}
	loaded, err := config.Load(o.Host.ConfigOptions(false))
	if err != nil {
		return file, nil, err
	}
	var names []string
	plain, account := toolscript.CutAccount(server)
	for _, name := range slices.Sorted(maps.Keys(loaded.Servers)) {
		if c := loaded.Servers[name]; account != "" && toolscript.WithoutAccount(name) == plain && len(c.Accounts) > 0 {
			return file, nil, unknownAccount(plain, account, c.Accounts)
		}
		names = append(names, toolscript.WithoutAccount(name))
	}
	names = slices.Compact(names)
	text := fmt.Sprintf("no configuration file defines a server %.80q", server) + naming.DidYouMean(naming.Nearest(toolscript.WithoutAccount(server), names, 3))
	if len(names) == 0 {
		text += "; no servers are configured; " + config.AddServers
	}
	return file, nil, &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New(text)}
}
