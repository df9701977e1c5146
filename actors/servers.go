package actors

import (
	"slices"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// servers is the actor that spawns the actor of each configured server, restarts it with a backoff,
// and passes on its facts.
type servers struct {
	mailbox.Supervisor
	configured []serverSpec
}

// serverSpec describes the actor of a server.
type serverSpec struct {
	mailbox.Spec
	status toolscript.ServerStatus // before the actor reports its own
	known  []toolscript.Tool       // the server's tools before it is connected
}

// configure replaces the configured servers.
type configure struct {
	servers []serverSpec // all, in the order of upstream.Names
	retired []string     // names of removed and changed servers, which are ended first

	adjusted map[string]upstream.Config // servers that keep their connection
	Reply    mailbox.Reply[struct{}]
}

// Receive handles one message.
func (s *servers) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		s.start(c)
	case catalog.ServerChanged, catalog.ToolsChanged:
		s.Directory.Pass(registryID, m)
	case catalog.RegistryStarted:
		s.announce()
	case configure:
		s.configure(c, m)
	default:
		s.Supervise(c)
	}
}

func (s *servers) start(c *actor.Context) {
	s.Open(c)
	s.Down = s.reportDown
	for _, spec := range s.configured {
		_ = s.Spawn(c, spec.Spec) // a server that cannot start is tried again
	}
}

// announce sends the servers and their states to a registry that has started.
func (s *servers) announce() {
	s.notify()
	for _, spec := range s.configured {
		s.Directory.Pass(spec.ID, server.Announce{})
	}
}

// notify sends the list of servers to the registry.
func (s *servers) notify() {
	s.Directory.Pass(registryID, catalog.ServersConfigured{Servers: statuses(s.configured)})
}

// reportDown reports to the registry that a server is not connected, because its actor has ended.
func (s *servers) reportDown(id string, delay time.Duration, err error) {
	spec, ok := find(s.configured, id)
	if !ok {
		return
	}
	status, next := fresh(spec), time.Now().Add(delay)
	status.State, status.NextRetry = toolscript.Backoff, &next
	status.Error = "a fault of the gateway: " + err.Error()
	s.Directory.Pass(registryID, catalog.ServerChanged{Status: status})
}

// configure reports to the registry first: the tools of a retired server leave the
// catalog before the server ends.
func (s *servers) configure(c *actor.Context, m configure) {
	if s.Stopping() {
		m.Reply.Send(struct{}{}, mailbox.ErrStopped)
		return
	}
	s.configured = m.servers
	s.notify()
	for _, name := range m.retired {
		s.Directory.Pass(registryID, catalog.ToolsChanged{Server: name})
		s.Directory.Pass(serverID(name), leave(name, m.servers))
		s.End(c, serverID(name))
	}
	for _, spec := range m.servers {
		if later := s.Replace(c, spec.Spec); later {
			s.Directory.Pass(registryID, catalog.ServerChanged{Status: fresh(spec)})
		}
	}
	for name, config := range m.adjusted {
		s.Directory.Pass(serverID(name), server.Adjust{Config: config})
	}
	m.Reply.Send(struct{}{}, nil)
}

// leave returns why a server ends: it is not among the new servers, or its new configuration
// differs.
func leave(name string, servers []serverSpec) server.Leave {
	next, ok := find(servers, serverID(name))
	switch {
	case !ok:
		return server.Leave{Why: "the server was removed from the configuration"}
	case next.status.Disabled:
		return server.Leave{Why: "the server was disabled in the configuration; run: " + toolscript.Command("enable", name)}
	default:
		return server.Leave{Why: "the configuration of the server was changed", RetryAfter: time.Second}
	}
}

func find(specs []serverSpec, id string) (serverSpec, bool) {
	i := slices.IndexFunc(specs, func(spec serverSpec) bool { return spec.ID == id })
	if i < 0 {
		return serverSpec{}, false
	}
	return specs[i], true
}

// statuses returns the initial status of the configured servers.
func statuses(specs []serverSpec) (all []toolscript.ServerStatus) {
	for _, spec := range specs {
		all = append(all, fresh(spec))
	}
	return all
}

// known returns the tools of the configured servers before any is connected.
func known(specs []serverSpec) (all []toolscript.Tool) {
	for _, spec := range specs {
		all = append(all, spec.known...)
	}
	return all
}

// fresh returns the initial status of a server.
func fresh(spec serverSpec) toolscript.ServerStatus {
	status := spec.status
	status.Since = time.Now()
	return status
}
