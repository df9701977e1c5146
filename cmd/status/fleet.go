package status

import (
	"context"
	"fmt"
	"time"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/hub"
)

// surveyTime bounds the requests of status gateways to a fleet.
const surveyTime = 3 * time.Second

// fleetItems lists the fleet of the configuration, with its servers and runners. Without a fleet, or if the
// configuration cannot be read, it returns nil.
func fleetItems(ctx context.Context, a *app.App) []Item {
	at, err := hub.FleetAddress(a)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, surveyTime)
	defer cancel()
	fleet := Item{Kind: KindFleet, Name: at.String(), State: discovery.Alive}
	s, err := hub.SurveyFleet(ctx, at)
	if err != nil {
		fleet.State, fleet.Error, fleet.Command = discovery.Silent, err.Error(), "toolscript status fleet"
		return []Item{fleet}
	}
	items := []Item{fleet}
	for _, v := range s.Servers {
		i := Item{
			Kind: KindFleetServer, Name: v.Name, Host: v.Host, Hub: v.Hub, Version: v.Version, State: string(v.State), Lease: v.Lease,
			Gateways: v.Gateways, InFlight: v.InFlight, Calls: v.Calls, Error: v.Error,
		}
		if v.Standby {
			i.State = discovery.Standby
		} else {
			items[0].Servers++
		}
		items = append(items, i)
	}
	for _, r := range s.Runners {
		items = append(items, Item{
			Kind: KindRunners, Name: fmt.Sprintf("%d sandboxes", r.Runners), Host: r.Host, Version: r.Version, State: discovery.Alive, Runs: r.Busy,
		})
	}
	return items
}
