package status

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/hub"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type gatewaysOptions struct {
	*app.App
	only  bool // only the gateways
	watch bool
	form  terminal.Form
}

func newGateways(a *app.App) *cobra.Command {
	o := &gatewaysOptions{App: a}
	c := o.command("gateways", "Show every gateway of this user on this host, the hub and the fleet")
	c.Long = `Show every gateway of this user on this host, also those that were killed, with the
command that removes what they have left; the hub with its shared servers; and the
servers and runners of the fleet of the configuration.

--watch shows them on the screen of a terminal, which is read again every two seconds. r
restarts the selected gateway or shared server, and x ends it, or removes what a gateway
that was killed has left.`
	c.Flags().BoolVar(&o.watch, "watch", false, "show them until q is pressed; needs a terminal")
	return c
}

// NewGatewayList returns the command gateway list, which is status gateways without the hub and the fleet.
func NewGatewayList(a *app.App) *cobra.Command {
	o := &gatewaysOptions{App: a, only: true}
	c := o.command("list", "List the gateways of this user, and those that were killed")
	c.Long = `List the gateways of this user on this host. Those that were killed are listed with
the command that removes what they have left.

toolscript status gateways lists the hub and its shared servers too.`
	return c
}

func (o *gatewaysOptions) command(use, short string) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Args: app.Takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.watch {
				return o.follow(c.Context())
			}
			return o.print(c.Context())
		},
	}
	terminal.AddForm(c.Flags(), &o.form, "print them as JSON")
	return c
}

func (o *gatewaysOptions) print(ctx context.Context) error {
	items, err := o.items(ctx)
	if err != nil {
		return err
	}
	if o.form.Structured() {
		return o.form.Write(o.Stdout, append([]Item{}, items...)) // never null
	}
	if len(items) == 0 {
		return o.Print("No gateways running")
	}
	t := terminal.Table{Header: []string{"What", "Name", "State", "PID", "Version", "Session", "Client", "Up", "Uses", "Active", "Memory", "Configuration", removeTitle}, Command: removeTitle}
	for _, i := range items {
		t.Add(cellsOf(i)...)
	}
	return t.Write(o.Stdout, terminal.Columns(o.Stdout), o.PaintState(2))
}

// items lists the gateways; unless only, then the hub and its servers, and the fleet.
func (o *gatewaysOptions) items(ctx context.Context) ([]Item, error) {
	places, err := o.Target.Places()
	if err != nil {
		return nil, err
	}
	place, fleet := (*hub.Place)(nil), make(chan []Item, 1)
	if o.only {
		fleet <- nil
	} else {
		at, err := hub.PlaceOf(o.App)
		if err != nil {
			return nil, err
		}
		place = &at
		go func() { fleet <- fleetItems(ctx, o.App) }()
	}
	items, err := Look(ctx, places, place)
	items = append(items, <-fleet...)
	for i := range items {
		items[i].Command = o.Again(items[i].Command)
	}
	return items, err
}

// follow shows them on a screen. Its keys run other commands of this program.
func (o *gatewaysOptions) follow(ctx context.Context) error {
	if o.form.Structured() || !hasScreen(o.App) {
		return &toolscript.Error{Kind: toolscript.Unsupported, Err: errors.New(
			"status gateways --watch needs a terminal for its input and output, and TERM must not be dumb; use instead: toolscript status gateways --json")}
	}
	if _, err := o.items(ctx); err != nil {
		return err
	}
	return RunHostScreen(ctx, HostScreenOptions{
		Look: o.items, Do: func(ctx context.Context, args []string) (string, error) { return runSelf(ctx, o.App, args) },
		In: o.Stdin, Out: o.Stdout, Env: o.Env,
	})
}

// removeTitle is the title of the column with the command that removes a gateway, or what is left of it.
const removeTitle = "To remove it"

func cellsOf(i Item) []string {
	name := i.URL + terminal.OneLine(i.Name)
	if i.Host != "" {
		name += " on " + terminal.OneLine(i.Host)
	}
	cells := []string{string(i.Kind), name, i.State, terminal.OrDash(i.PID), i.Version, terminal.OneLine(i.Session), "", "", "", "", "", strings.Join(i.Config, ", "), i.Command}
	if i.Client != 0 {
		cells[6] = strconv.Itoa(i.Client)
	}
	if i.UptimeSeconds > 0 {
		cells[7] = (time.Duration(i.UptimeSeconds) * time.Second).String()
	}
	cells[8], cells[9] = i.Uses(), i.Active()
	if i.MemoryMB > 0 {
		cells[10] = fmt.Sprintf("%.0f MB", i.MemoryMB)
	}
	return cells
}
