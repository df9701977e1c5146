package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type connectOptions struct {
	app.ChangeOptions
	project bool
	replace bool
}

// NewConnect returns the command connect.
func NewConnect(a *app.App) *cobra.Command {
	o := &connectOptions{ChangeOptions: app.ChangeOptions{App: a}}
	c := &cobra.Command{
		Use:   "connect CLIENT",
		Short: "Register toolscript as an MCP server in another client",
		Long: `Register toolscript as an MCP server in another client:
` + inLines(clients.Connectable()) + `.

The client then starts "toolscript mcp", and finds the tools of all servers of your
configuration behind it. The change of the client's file is shown first; everything
else in the file stays as it is.

Servers that the client has itself and toolscript has too are in the client twice. With
--replace, or if you agree at a terminal, they are disabled in the client's files; a client
without a switch for a server loses its entry. --undo takes everything back.`,
		Args:      app.Takes("CLIENT"),
		ValidArgs: clients.Connectable(),
		RunE: func(c *cobra.Command, args []string) error {
			client, err := clients.Find(args[0], clients.Connectable())
			if err != nil {
				return &app.UsageError{Command: c.CommandPath(), Err: errors.New(err.Error())}
			}
			if o.Undo {
				return o.TakeBack(c.Context(), "connect-"+client.Name)
			}
			return o.run(c.Context(), client)
		},
	}
	c.Flags().BoolVar(&o.project, "project", false, "in the client's file of this project, not in that of the user")
	c.Flags().BoolVar(&o.replace, "replace", false, "disable the servers in the client that toolscript has too")
	o.AddFlags(c)
	return c
}

func (o *connectOptions) run(ctx context.Context, client *clients.Client) error {
	places, err := clients.FindPlaces(o.Dir, o.LookupEnv)
	if err != nil {
		return err
	}
	configs, err := o.ConfigFiles()
	if err != nil {
		return err
	}
	entry, err := places.Own(o.project, configs)
	if err != nil {
		return err
	}
	loaded, err := config.Load(o.Host.ConfigOptions(false))
	if err == nil { // mistakes in the files do not prevent the connection
		entry.Variables = config.Used(loaded)
	}
	change, err := clients.Connect(client, places, o.project, entry)
	if err != nil {
		return err
	}
	plan := &clients.Import{}
	again := toolscript.Command("connect", client.Name)
	if o.project {
		again += " --project"
	}
	if change == nil {
		o.Say("toolscript is registered in %s already", client.Title)
	} else {
		plan.Changes = []*clients.Change{change}
		if note := client.PassNote(entry.Variables); note != "" {
			plan.Notes = append(plan.Notes, note+"; to keep values in toolscript instead, run: toolscript secret import FILE, and write ${secret:NAME}")
		}
	}
	if loaded != nil {
		if again, err = o.replaceDoubled(ctx, client, places, loaded, plan, again); err != nil {
			return err
		}
	}
	return o.CarryOut(ctx, "connect-"+client.Name, again+" --yes", plan)
}

// replaceDoubled says which servers the client has twice, by itself and through toolscript, and disables its
// own definitions if the user agrees. It returns again, with --replace if they are disabled.
func (o *connectOptions) replaceDoubled(
	ctx context.Context, client *clients.Client, places clients.Places, loaded *config.Config, plan *clients.Import, again string,
) (string, error) {
	targets, err := places.Targets(o.Host.ConfigOptions(false))
	if err != nil {
		return again, nil //nolint:nilerr // several files of --config: their servers are not compared
	}
	all, err := client.Doubled(places, targets)
	if err != nil {
		return again, err
	}
	var doubled []clients.Doubled
	var names []string
	for _, d := range all {
		c, known := loaded.Servers[d.Ours]
		if !known || c.Problem != nil {
			plan.Notes = append(plan.Notes, fmt.Sprintf("%s stays in %s: it does not start behind toolscript yet; run: toolscript list-servers", d.Name, client.Title))
			continue
		}
		doubled, names = append(doubled, d), append(names, d.Name)
	}
	if len(doubled) == 0 {
		return again, nil
	}
	list := strings.Join(slices.Compact(names), ", ")
	o.Say("%s: in %s twice, by itself and behind toolscript", list, client.Title)
	if !o.replace {
		if o.replace, err = o.wantsReplaced(ctx, client); err != nil {
			return again, err
		}
	}
	if !o.replace {
		plan.Notes = append(plan.Notes, "to use them behind toolscript only, run: "+again+" --replace")
		return again, nil
	}
	if plan.Changes, err = client.Disable(plan.Changes, doubled); err != nil {
		return again, err
	}
	how := "disabled"
	if client.Removes() {
		how = "removed"
	}
	plan.Notes = append(plan.Notes, fmt.Sprintf("%s in %s: %s; to take it back, run: %s", how, client.Title, list, toolscript.Command("connect", client.Name, "--undo")))
	return again + " --replace", nil
}

// wantsReplaced asks the user at the terminal whether to disable the servers that the client has twice.
func (o *connectOptions) wantsReplaced(ctx context.Context, client *clients.Client) (bool, error) {
	if o.Yes || o.Form.Structured() || !terminal.Is(o.Stdin) {
		return false, nil
	}
	return o.Agrees(ctx, "Disable them in "+client.Title+"?")
}
