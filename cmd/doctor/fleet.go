package doctor

import (
	"context"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub/cluster"
)

// fleetTime bounds the requests to the hubs of a fleet.
const fleetTime = 3 * time.Second

// fleet reports problems of servers that the hubs of the configured fleet offer.
func (x *examination) fleet(ctx context.Context) {
	if x.loaded == nil || x.loaded.Settings.Fleet.URL == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, fleetTime)
	defer cancel()
	nc, err := cluster.Connect(ctx, x.loaded.Settings.Fleet.Address())
	if err != nil {
		x.broken("fleet", "toolscript status fleet", "%s", toolscript.TextOf(err))
		return
	}
	defer nc.Close()
	entries, err := cluster.List(ctx, nc)
	if err != nil {
		x.broken("fleet", "toolscript status fleet", "its hubs were not asked: %v", err)
		return
	}
	for _, e := range entries {
		if e.State.Error != "" {
			x.broken("server "+e.Server+" of the fleet", "toolscript status fleet", "%s", e.State.Error)
		}
	}
}
