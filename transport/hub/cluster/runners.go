package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
)

// runnerService is the name of the micro service of hubs that run scripts of gateways.
const runnerService = "toolscript_runner"

// Runner is a hub that runs scripts of gateways.
type Runner struct {
	Host    string
	Version string // version of the hub's program
	Runners int    // scripts at a time
	Busy    int
	Runs    uint64 // runs that have begun
	Failed  uint64 // runs whose sandbox failed
}

// Runners asks all hubs of the fleet that run scripts for their numbers, sorted by host. Hubs
// that do not answer in time are missing.
func Runners(ctx context.Context, nc *nats.Conn) ([]Runner, error) {
	all := []Runner{}
	err := ask(ctx, nc, "$SRV.STATS."+runnerService, nil, func(text []byte) {
		var stats micro.Stats
		if json.Unmarshal(text, &stats) != nil {
			return
		}
		r := Runner{}
		if len(stats.Endpoints) > 0 {
			_ = json.Unmarshal(stats.Endpoints[0].Data, &r) // a hub of another version may report nothing
		}
		r.Host, r.Version = stats.Metadata["host"], stats.Metadata["version"]
		all = append(all, r)
	})
	slices.SortFunc(all, func(a, b Runner) int { return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Runs, b.Runs)) })
	return all, err
}
