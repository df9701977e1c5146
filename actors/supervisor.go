package actors

import (
	"log/slog"
	"net/url"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/event"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
)

// The ids of the actors that there is one of.
const (
	supervisorID = "supervisor"
	registryID   = "registry"
	typecacheID  = "typecache"
	searchID     = "search"
	embedderID   = "embedder"
	authID       = "auth"
)

// serverID is the id of the actor of one server.
func serverID(name string) string { return "server/" + name }

// supervisor is the root of the actors: it spawns all others, restarts those
// that panic, and passes facts on. Only Receive touches it.
type supervisor struct {
	permanent []spec // spawned at the start, restarted when they end
	directory *directory
	logger    *slog.Logger
	gone      <-chan struct{} // closed when the gateway stops

	post     func(message any) // to itself
	since    time.Time
	fault    error             // the last of its own panics
	children map[string]*child // by id, those waiting for their restart too
	living   map[*mailbox.Life]*child
	failures []toolscript.ActorStatus // the last temporary actors that panicked
	stopping []mailbox.Reply[struct{}]
}

// The requests to the supervisor.
type (
	// spawn starts an actor.
	spawn struct {
		spec  spec
		reply mailbox.Reply[mailbox.Address]
	}
	// stopAll ends all actors for good and is answered when they have ended.
	stopAll struct{ reply mailbox.Reply[struct{}] }
	// listActors asks what is known of all actors.
	listActors struct {
		reply mailbox.Reply[[]toolscript.ActorStatus]
	}
	// respawn: the time of a child that has ended has come.
	respawn struct{ id string }
)

// Receive handles one message.
func (s *supervisor) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		s.start(c)
	case event.ServerChanged, event.ToolsChanged:
		s.pass(registryID, m)
	case event.CatalogChanged:
		s.pass(typecacheID, m)
		s.pass(searchID, m)
	case event.RegistryStarted:
		s.tellServers()
		s.passToServers(server.Announce{})
	case configure:
		s.configure(c, m)
	case spawn:
		s.spawn(c, m)
	case mailbox.Failed:
		s.failed(m)
	case mailbox.Ended:
		s.ended(c, m)
	case respawn:
		s.respawn(c, m)
	case listActors:
		m.reply.Send(s.actors(), nil)
	case stopAll:
		s.stopAll(c, m)
	}
}

func (s *supervisor) start(c *actor.Context) {
	engine, self := c.Engine(), c.PID()
	s.post = func(message any) { engine.Send(self, message) }
	s.since = time.Now()
	s.children, s.living = map[string]*child{}, map[*mailbox.Life]*child{}
	for _, spec := range s.permanent {
		s.raise(c, s.add(spec))
	}
}

// pass sends a fact on. To an actor that is being restarted it is lost, which
// every actor that lives by facts makes good when it starts.
func (s *supervisor) pass(id string, fact any) {
	if to, ok := s.directory.find(id); ok {
		to.Engine.Send(to.PID, fact)
	}
}

func (s *supervisor) passToServers(message any) {
	for id, ch := range s.children {
		if ch.server != nil {
			s.pass(id, message)
		}
	}
}

// faulted is told of the supervisor's own panics, on its goroutine.
func (s *supervisor) faulted(err error) {
	s.fault = err
	mailbox.LogFailure(s.logger, slog.LevelError, "supervisor panicked", err)
}

// options spawn a child under an id in which nothing is a path: a server's name
// may hold a slash.
func options(id string, life *mailbox.Life) []actor.OptFunc {
	return life.Options(url.PathEscape(id))
}
