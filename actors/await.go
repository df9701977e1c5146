package actors

import (
	"context"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/registry"
	"github.com/toolscript/toolscript/actors/server"
)

// Await waits until none of the servers that f names, or none at all when it is
// nil, is connecting, or until ctx ends. It names the servers it waited for,
// and of those the ones that are connecting still. The tools of a server that
// has become ready are in the catalog by then. Servers on demand begin to
// connect by it.
func (s *System) Await(ctx context.Context, f toolscript.Filter) (waitedFor, pending []string) {
	view := s.view.Load()
	waitedFor = connecting(view.View, f)
	for _, name := range waitedFor {
		s.want(name)
	}
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

// want makes a server on demand connect.
func (s *System) want(name string) {
	if at, ok := s.directory.find(serverID(name)); ok && s.options.OnDemand {
		at.Engine.Send(at.PID, server.Want{})
	}
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
	if f == nil {
		return true
	}
	for _, entry := range f {
		if entry == server || strings.HasPrefix(entry, server+toolscript.Separator) {
			return true
		}
	}
	return false
}
