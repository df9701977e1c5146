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
	return ready(ctx, nc, server, func(e Entry) string { return e.Host })
}

// Hubs is like Hosts, but returns the ids of the hubs.
func Hubs(ctx context.Context, nc *nats.Conn, server string) ([]string, error) {
	return ready(ctx, nc, server, func(e Entry) string { return e.Hub })
}

func ready(ctx context.Context, nc *nats.Conn, server string, of func(Entry) string) ([]string, error) {
	all := []string{}
	err := ask(ctx, nc, "$SRV.STATS."+Service(server), nil, func(text []byte) {
		var stats micro.Stats
		if json.Unmarshal(text, &stats) != nil || len(stats.Endpoints) == 0 {
			return
		}
		var s State
		if json.Unmarshal(stats.Endpoints[0].Data, &s) == nil && s.State == toolscript.Ready {
			all = append(all, of(entryOf(stats.Metadata)))
		}
	})
	slices.Sort(all)
	return slices.Compact(all), err
}
