package actors

import (
	"cmp"
	"context"
	"os"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/live"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/actors/typecache"
	"github.com/toolscript/toolscript/internal/rescue"
)

// Events calls emit with what happens in the gateway, until ctx or the gateway ends or emit fails; see
// live.Feed.Read. Events that are due at the same time come together.
func (s *System) Events(ctx context.Context, q toolscript.LiveQuery, emit func([]toolscript.LiveEvent) error) (err error) {
	defer rescue.Catch(s.panicked(&err))
	return s.options.Feed.Read(ctx, q, emit)
}

// openFeed connects the feed with this System.
func (s *System) openFeed() {
	s.options.Feed.Open(live.Sources{
		Look: s.look, Calls: s.callsInFlight, Closing: s.closing, Logger: s.options.Logger,
		Warn: func(ctx context.Context) []string { return s.warnings(ctx, s.current()) },
	})
	s.actorChanged(toolscript.ActorStatus{Name: supervisorID, State: "running", Since: s.started}, false)
}

// actorChanged puts the state of an actor into the feed.
func (s *System) actorChanged(status toolscript.ActorStatus, gone bool) {
	if gone {
		s.options.Feed.Remove(toolscript.LiveActor, status.Name)
		return
	}
	s.options.Feed.Put(toolscript.ActorEntry{ID: status.Name, ActorStatus: status})
}

// putServers puts the servers of a new View into the feed. old is nil at the start.
func (s *System) putServers(old *snapshot, now catalog.View) {
	feed := s.options.Feed
	for _, known := range now.Servers {
		feed.Put(toolscript.ServerEntry{ID: known.Name, ServerStatus: known.ServerStatus})
	}
	if old != nil {
		for _, before := range old.Servers {
			byName := func(s catalog.Server, name string) int { return cmp.Compare(s.Name, name) }
			if _, still := slices.BinarySearchFunc(now.Servers, before.Name, byName); !still {
				feed.Remove(toolscript.LiveServer, before.Name)
			}
		}
	}
	feed.Put(s.gatewayInfo(now.Catalog))
}

// putSearch puts the state of the search index into the feed.
func (s *System) putSearch() {
	stats := s.searchStats(s.current())
	s.options.Feed.Put(toolscript.IndexEntry{ID: "search", Search: &stats})
}

func (s *System) gatewayInfo(c toolscript.Catalog) toolscript.GatewayInfo {
	return toolscript.GatewayInfo{
		ID: "gateway", Version: toolscript.Version, PID: os.Getpid(), Started: s.started, Configuration: s.options.Configuration,
		Generation: c.Generation(), Tools: c.Len(),
	}
}

func (s *System) callsInFlight() (all []toolscript.CallEntry) {
	s.ports.Range(func(_, port any) bool {
		all = append(all, port.(*server.Port).Calls()...)
		return true
	})
	return all
}

// look asks the actors for their counters, in parallel. The entries of an actor that does not answer are
// left out.
func (s *System) look(ctx context.Context) (seen []any) {
	view := s.current()
	var asked mailbox.Group
	var servers []toolscript.ServerStatus
	var actors []toolscript.ActorStatus
	var live []toolscript.RunEntry
	do := func(f func()) { asked.Go(f, func(error) {}) } // the next look tries again
	do(func() { servers = s.servers(ctx, view) })
	do(func() { actors, _ = s.actors(ctx) })
	do(func() {
		live, _ = askRuns(ctx, s, func(r mailbox.Reply[[]toolscript.RunEntry]) any { return runs.ListEntries{Reply: r} })
	})
	search := s.searchStats(view)
	seen = append(seen, toolscript.IndexEntry{ID: "search", Search: &search})
	if at, err := s.find(typecacheID); err == nil {
		types, err := mailbox.Ask(ctx, at, func(r mailbox.Reply[toolscript.TypesStats]) any { return typecache.Describe{Reply: r} })
		if err == nil {
			seen = append(seen, toolscript.IndexEntry{ID: "types", Types: &types})
		}
	}
	<-asked.Idle()
	inFlight := map[string]int{}
	for _, status := range servers {
		inFlight[serverID(status.Name)] = status.InFlight
		seen = append(seen, toolscript.ServerEntry{ID: status.Name, ServerStatus: status})
	}
	for _, status := range actors {
		if n, ok := inFlight[status.Name]; ok {
			status.InFlight = n
		}
		seen = append(seen, toolscript.ActorEntry{ID: status.Name, ActorStatus: status})
	}
	for _, run := range live {
		seen = append(seen, run)
	}
	return seen
}
