package actors

import (
	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// The ids of the actors that exist once.
const (
	supervisorID = "supervisor"
	serversID    = "servers"
	registryID   = "registry"
	typecacheID  = "typecache"
	searchID     = "search"
	embedderID   = "embedder"
	authID       = "auth"
	auditID      = "audit"
	storeID      = "store"
)

// serverID returns the id of the actor of one server.
func serverID(name string) string { return "server/" + name }

// supervisor is the root actor. It spawns the actors that exist once, restarts those that end, and
// passes facts between them. The supervisors of servers and runs are its children.
type supervisor struct {
	mailbox.Supervisor
	permanent []mailbox.Spec // spawned at the start
}

// Receive handles one message.
func (s *supervisor) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		s.start(c)
	case catalog.Changed:
		s.Directory.Pass(typecacheID, m)
		s.Directory.Pass(searchID, m)
	case catalog.RegistryStarted:
		s.Directory.Pass(serversID, m)
	case mailbox.Stop:
		s.Directory.Pass(registryID, catalog.Stopping{})
		s.Supervise(c)
	default:
		s.Supervise(c)
	}
}

func (s *supervisor) start(c *actor.Context) {
	s.Open(c)
	for _, spec := range s.permanent {
		_ = s.Spawn(c, spec) // an actor that cannot start is tried again
	}
}
