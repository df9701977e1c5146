package actors

import (
	"context"
	"os"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/live"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/actors/typecache"
)

// followLimit bounds the wait for the first events: every actor is asked first.
const followLimit = 10 * time.Second

// Events calls emit with what happens in the gateway, until ctx ends, emit fails, or the reader is too slow (see
// LiveType). One call of emit has all events that are due at that time. The error is Busy if there are too many
// readers, else that of emit or of ctx.
func (s *System) Events(ctx context.Context, q toolscript.LiveQuery, emit func([]toolscript.LiveEvent) error) error {
	at, err := s.find(liveID)
	if err != nil {
		return err
	}
	first, cancel := context.WithTimeout(ctx, followLimit)
	defer cancel()
	reader := live.NewReader(q.Arguments)
	defer func() { mailbox.Send(at.Engine, at.PID, live.Unsubscribe{Reader: reader}) }()
	_, err = mailbox.Ask(first, at, func(r mailbox.Reply[struct{}]) any {
		return live.Subscribe{Reader: reader, After: q.After, Reply: r}
	})
	for err == nil {
		var events []toolscript.LiveEvent
		var last bool
		if events, last, err = reader.Next(ctx); err != nil {
			return err
		}
		if err := emit(events); err != nil || last {
			return err
		}
	}
	return err
}

// liveSpec returns the actor that publishes what happens in the gateway.
func (s *System) liveSpec() mailbox.Spec {
	o := live.Options{Feed: s.options.Feed, Gateway: s.gatewayInfo, Look: s.look, Logger: s.options.Logger}
	o.Warn = func(ctx context.Context) []string { return s.warnings(ctx, s.current()) }
	return mailbox.Spec{ID: liveID, Produce: func() actor.Receiver { return live.New(o) }}
}

func (s *System) gatewayInfo() toolscript.GatewayInfo {
	catalog := s.Catalog()
	return toolscript.GatewayInfo{
		Version: toolscript.Version, PID: os.Getpid(), Started: s.started, Configuration: s.options.Configuration,
		Generation: catalog.Generation(), Tools: catalog.Len(),
	}
}

// look asks all actors for their state, in parallel.
func (s *System) look(ctx context.Context) (seen live.Observed) {
	view := s.current()
	var asked mailbox.Group
	do := func(f func()) { asked.Go(f, func(error) {}) } // the next look tries again
	do(func() { seen.Servers = s.servers(ctx, view) })
	do(func() { seen.Actors, _ = s.actors(ctx) })
	do(func() {
		seen.Runs, _ = askRuns(ctx, s, func(r mailbox.Reply[[]toolscript.RunEntry]) any { return runs.ListEntries{Reply: r} })
	})
	do(func() { seen.Approvals, _ = s.PendingApprovals(ctx) })
	search := s.searchStats(view)
	seen.Index = []toolscript.IndexEntry{{ID: "search", Search: &search}}
	s.ports.Range(func(_, port any) bool {
		seen.Calls = append(seen.Calls, port.(*server.Port).Calls()...)
		return true
	})
	if at, err := s.find(typecacheID); err == nil {
		types, err := mailbox.Ask(ctx, at, func(r mailbox.Reply[toolscript.TypesStats]) any { return typecache.Describe{Reply: r} })
		if err == nil {
			seen.Index = append(seen.Index, toolscript.IndexEntry{ID: "types", Types: &types})
		}
	}
	<-asked.Idle()
	for i := range seen.Actors {
		for _, status := range seen.Servers {
			if seen.Actors[i].Name == serverID(status.Name) {
				seen.Actors[i].InFlight = status.InFlight
			}
		}
	}
	return seen
}
