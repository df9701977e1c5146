package status

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/hub"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// inventory lists the gateways, the hub and its servers, and the fleet.
func inventory(ctx context.Context, a *app.App) ([]Item, error) {
	places, err := a.Target.Places()
	if err != nil {
		return nil, err
	}
	place, err := hub.PlaceOf(a)
	if err != nil {
		return nil, err
	}
	fleet := make(chan []Item, 1)
	go func() { fleet <- fleetItems(ctx, a) }()
	items, err := Look(ctx, places, place)
	items = append(items, <-fleet...)
	for i := range items {
		items[i].Command = a.Again(items[i].Command)
	}
	return items, err
}

// printAll prints every gateway of this user on this host, the hub with its servers, and the
// fleet of the configuration.
func (o *statusOptions) printAll(ctx context.Context) error {
	items, err := inventory(ctx, o.App)
	if err != nil {
		return err
	}
	if o.form.Structured() {
		return o.form.Write(o.Stdout, append([]Item{}, items...)) // never null
	}
	if len(items) == 0 {
		return o.Print("No gateways running")
	}
	t := terminal.Table{Header: []string{"What", "Name", "State", "PID", "Version", "Session", "Client", "Up", "Uses", "Active", "Memory", RemoveTitle}, Command: RemoveTitle}
	for _, i := range items {
		t.Add(cellsOf(i)...)
	}
	return t.Write(o.Stdout, terminal.Columns(o.Stdout), o.PaintState(2))
}

// RemoveTitle is the title of the column with the command that removes a gateway, or what is left of it.
const RemoveTitle = "To remove it"

func cellsOf(i Item) []string {
	name := i.URL + terminal.OneLine(i.Name)
	if i.Host != "" {
		name += " on " + terminal.OneLine(i.Host)
	}
	cells := []string{string(i.Kind), name, i.State, terminal.OrDash(i.PID), i.Version, terminal.OneLine(i.Session), "", "", "", "", "", i.Command}
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
