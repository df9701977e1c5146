//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/api"
)

const (
	watchedRuns = 50
	watchedFor  = 25 * time.Second
)

// events measures the time from an event in a gateway until a reader of GET /events receives it,
// while many scripts run. Gateway and reader use the same clock.
func (b *bench) events(ctx context.Context) error {
	config, err := b.Config("events.json", fmt.Sprintf(`{"mcpServers":{"s":{"command":%q,"args":[%q]}}}`, b.self, asServer))
	if err != nil {
		return err
	}
	g, err := b.gateway(ctx, config)
	if err != nil {
		return err
	}
	defer g.Stop() //nolint:errcheck // the measurement is done
	running, stop := context.WithTimeout(ctx, watchedFor)
	defer stop()
	script := fmt.Sprintf("for (;;) { %s; await new Promise((done) => setTimeout(done, 200)) }", echoCall)
	var scripts sync.WaitGroup
	for range watchedRuns {
		scripts.Go(func() {
			_, _ = g.Exec(running, map[string]any{"code": script, "check": "off"}) // it ends with the context running
		})
	}
	client := api.NewClient(g.URL)
	defer client.Close()
	w := eventWatch{live: map[string]bool{}}
	err = client.Events(running, toolscript.LiveQuery{}, w.take)
	stop()
	scripts.Wait()
	if ctx.Err() != nil || err != nil && running.Err() == nil {
		return errors.Join(err, ctx.Err())
	}
	if len(w.took) < 1000 || w.most < watchedRuns {
		return fmt.Errorf("only %d events, and %d runs at a time", len(w.took), w.most)
	}
	show(fmt.Sprintf("from a call to its event, %d runs going on, p99", w.most), "ms", []float64{percentile(w.took, 0.99)}, "≤ 100")
	show("  the same, each event", "ms", w.took, "")
	return nil
}

// eventWatch measures events of calls while all runs are in progress.
type eventWatch struct {
	live map[string]bool // by run id: whether the run is in progress
	most int
	took []float64 // times in ms
}

func (w *eventWatch) take(e toolscript.LiveEvent) error {
	now := time.Now()
	switch e.Type {
	case toolscript.LiveSnapshot:
		var s toolscript.Snapshot
		if err := json.Unmarshal(e.Data, &s); err != nil {
			return err
		}
		for _, r := range s.Runs {
			w.live[r.ID] = r.EndedAt == nil
		}
	case toolscript.LiveRun:
		var r toolscript.RunEntry
		if err := json.Unmarshal(e.Data, &r); err != nil {
			return err
		}
		w.live[r.ID] = r.EndedAt == nil
	case toolscript.LiveCall:
		var c toolscript.CallEntry
		if err := json.Unmarshal(e.Data, &c); err != nil {
			return err
		}
		happened := c.Since
		if c.State == toolscript.CallEnded {
			happened = happened.Add(time.Duration(c.Ms * 1e6))
		}
		if w.most >= watchedRuns {
			w.took = append(w.took, milliseconds(now.Sub(happened)))
		}
	default:
	}
	count := 0
	for _, live := range w.live {
		if live {
			count++
		}
	}
	w.most = max(w.most, count)
	return nil
}
