package actors

import (
	"context"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/registry"
)

// Await waits until none of the servers that f names, or none at all when it is
// empty, is connecting, or until ctx ends. It names the servers it waited for,
// and of those the ones that are connecting still. The tools of a server that
// has become ready are in the catalog by then.
func (s *System) Await(ctx context.Context, f toolscript.Filter) (waitedFor, pending []string) {
	view := s.view.Load()
	waitedFor = connecting(view.View, f)
	for pending = waitedFor; len(pending) > 0; pending = connecting(view.View, f) {
		select {
		case <-view.replaced:
			view = s.view.Load()
		case <-ctx.Done():
			return waitedFor, pending
		case <-s.closing.Done():
			return waitedFor, pending
		}
	}
	return waitedFor, nil
}

// connecting are the names of the servers f selects that are connecting.
func connecting(view registry.View, f toolscript.Filter) []string {
	var names []string
	for _, server := range view.Servers {
		if server.State == toolscript.Connecting && concerns(f, server.Name) {
			names = append(names, server.Name)
		}
	}
	return names
}

// concerns reports whether a filter may select tools of a server. Which of a
// server's tools there are is not known before it is ready, so a tool id that
// begins with the server's name counts.
func concerns(f toolscript.Filter, server string) bool {
	if len(f) == 0 {
		return true
	}
	for _, entry := range f {
		if entry == server || strings.HasPrefix(entry, server+toolscript.Separator) {
			return true
		}
	}
	return false
}

// Readiness says how far the connecting of the servers has come.
type Readiness struct {
	Settled   bool // every server has connected, or failed to, at least once
	Connected int
	Total     int
	Waiting   []string // connecting, for the first time or again
	Failed    []toolscript.ServerStatus
}

// Settled says how far the connecting of the servers has come. It does not
// block.
func (s *System) Settled() Readiness {
	view := s.current()
	r := Readiness{Settled: true, Total: len(view.Servers)}
	for _, server := range view.Servers {
		r.Settled = r.Settled && server.Settled
		switch server.State {
		case toolscript.Ready:
			r.Connected++
		case toolscript.Connecting:
			r.Waiting = append(r.Waiting, server.Name)
		default:
			r.Failed = append(r.Failed, server.ServerStatus)
		}
	}
	return r
}
