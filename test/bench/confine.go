//go:build linux

package main

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

const confinedStarts = 30

// confine measures what the confinement of a server adds to its start: the time from a restart until
// the server is connected again.
func (b *bench) confine(ctx context.Context) error {
	config, err := b.Config("confine.json", fmt.Sprintf(`{"mcpServers":{"free":{"command":%q,"args":[%q]},"confined":{"command":%[1]q,"args":[%[2]q],"confine":{"read":["/tmp"],"net":["api.example.com:443"]}}}}`, b.self, asServer))
	if err != nil {
		return err
	}
	g, err := b.gateway(ctx, config)
	if err != nil {
		return err
	}
	defer g.Stop() //nolint:errcheck // the measurement is done
	took, beyond := map[string][]float64{}, []float64{}
	for range confinedStarts {
		for _, name := range []string{"free", "confined"} {
			begun := time.Now()
			var state struct{ State string }
			if status, err := g.Post(ctx, "/servers/"+name+"/restart", struct{}{}, &state); err != nil || status != http.StatusOK || state.State != "ready" {
				return fmt.Errorf("restart %s: %d %+v, %w", name, status, state, err)
			}
			took[name] = append(took[name], float64(time.Since(begun).Microseconds())/1000)
		}
		last := len(took["free"]) - 1
		beyond = append(beyond, took["confined"][last]-took["free"][last])
	}
	show("restart of a server in Go", "ms", took["free"], "")
	show("restart of the same server, confined, with a proxy", "ms", took["confined"], "")
	show("  beyond the restart before it", "ms", beyond, "≤ 20")
	return nil
}
