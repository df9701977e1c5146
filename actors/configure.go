package actors

import (
	"slices"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/event"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// configure puts another set of servers in force.
type configure struct {
	servers []spec   // all there will be, sorted by name
	retired []string // names of those that are ended first, gone or with another configuration
	reply   mailbox.Reply[struct{}]
}

// configure tells the registry first, so that a tool of a retired server is
// unknown before its server is gone.
func (s *supervisor) configure(c *actor.Context, m configure) {
	if s.stopping != nil {
		m.reply.Send(struct{}{}, mailbox.ErrStopped)
		return
	}
	s.permanent = slices.DeleteFunc(s.permanent, func(p spec) bool { return p.server != nil })
	s.permanent = append(s.permanent, m.servers...)
	s.tellServers()
	for _, name := range m.retired {
		s.pass(registryID, event.ToolsChanged{Server: name})
		if ch := s.children[serverID(name)]; ch != nil {
			s.end(c, ch)
		}
	}
	for _, spec := range m.servers {
		switch ch := s.children[spec.id]; {
		case ch == nil:
			s.raise(c, s.add(spec))
		case ch.state == childStopping:
			ch.next = &spec
			s.pass(registryID, event.ServerChanged{Status: fresh(spec)})
		}
	}
	m.reply.Send(struct{}{}, nil)
}

// tellServers tells the registry which servers there are.
func (s *supervisor) tellServers() {
	s.pass(registryID, event.ServersConfigured{Servers: statuses(s.permanent)})
}

// statuses are the configured servers before anything is known of them.
func statuses(specs []spec) []toolscript.ServerStatus {
	var all []toolscript.ServerStatus
	for _, spec := range specs {
		if spec.server != nil {
			all = append(all, fresh(spec))
		}
	}
	return all
}

// fresh is the status of a server of which nothing is known yet.
func fresh(spec spec) toolscript.ServerStatus {
	status := *spec.server
	status.Since = time.Now()
	return status
}
