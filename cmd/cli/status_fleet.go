package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/toolscript/toolscript/cmd/inventory"
)

// surveyTime bounds the requests of status --all and top --all to a fleet.
const surveyTime = 3 * time.Second

// fleetItems lists the fleet of the configuration, with its servers and runners. Without a fleet, or if the
// configuration cannot be read, it returns nil.
func (a *app) fleetItems(ctx context.Context) []inventory.Item {
	at, err := a.fleetAddress()
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, surveyTime)
	defer cancel()
	fleet := inventory.Item{Kind: inventory.Fleet, Name: at.String(), State: inventory.Alive}
	s, err := surveyFleet(ctx, at)
	if err != nil {
		fleet.State, fleet.Error, fleet.Command = inventory.Silent, err.Error(), "toolscript fleet status"
		return []inventory.Item{fleet}
	}
	items := []inventory.Item{fleet}
	for _, v := range s.Servers {
		i := inventory.Item{
			Kind: inventory.FleetServer, Name: v.Name, Host: v.Host, Hub: v.Hub, Version: v.Version, State: string(v.State), Lease: v.Lease,
			Gateways: v.Gateways, InFlight: v.InFlight, Calls: v.Calls, Error: v.Error,
		}
		if v.Standby {
			i.State = inventory.Standby
		} else {
			items[0].Servers++
		}
		items = append(items, i)
	}
	for _, r := range s.Runners {
		items = append(items, inventory.Item{
			Kind: inventory.Runners, Name: fmt.Sprintf("%d sandboxes", r.Runners), Host: r.Host, Version: r.Version, State: inventory.Alive, Runs: r.Busy,
		})
	}
	return items
}
