package cluster

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/toolscript/toolscript"
)

// Hosts asks the hubs that offer a server for their hosts, and returns those whose server is
// ready, sorted. Hubs that do not answer in time are missing.
func Hosts(ctx context.Context, nc *nats.Conn, server string) ([]string, error) {
	hosts := []string{}
	err := each(ctx, nc, "$SRV.STATS."+Service(server), func(text []byte) {
		var stats micro.Stats
		if json.Unmarshal(text, &stats) != nil || len(stats.Endpoints) == 0 {
			return
		}
		var s State
		if json.Unmarshal(stats.Endpoints[0].Data, &s) == nil && s.State == toolscript.Ready {
			hosts = append(hosts, entryOf(stats.Metadata).Host)
		}
	})
	slices.Sort(hosts)
	return slices.Compact(hosts), err
}
