package actors

import (
	"context"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
)

// The ids of the actors that exist once.
const (
	supervisorID = "supervisor"
	registryID   = "registry"
	typecacheID  = "typecache"
	searchID     = "search"
	embedderID   = "embedder"
	authID       = "auth"
	auditID      = "audit"
	storeID      = "store"
	liveID       = "live"
)

// serverID returns the id of the actor of one server.
func serverID(name string) string { return "server/" + name }

// supervisor is the root actor: it spawns all other actors, restarts those that panic, and
// passes facts between them. Only Receive touches it.
type supervisor struct {
	permanent []spec // spawned at the start, restarted when they end
	directory *directory
	logger    *slog.Logger
	gone      <-chan struct{} // closed when the gateway stops
	life      *mailbox.Life   // the supervisor's own life

	post     func(message any) // sends a message to the supervisor itself
	since    time.Time
	fault    error             // the last panic of the supervisor
	children map[string]*child // by id; includes children that wait for their restart
	byLife   map[*mailbox.Life]*child
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
	// stopAll ends all actors and is answered when they have ended.
	stopAll struct{ reply mailbox.Reply[struct{}] }
	// listActors returns the status of all actors.
	listActors struct {
		reply mailbox.Reply[[]toolscript.ActorStatus]
	}
	// respawn restarts a child after its delay.
	respawn struct{ id string }
)

// Receive handles one message.
func (s *supervisor) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		s.start(c)
	case catalog.ServerChanged:
		s.pass(registryID, m)
		s.pass(liveID, m)
	case catalog.ToolsChanged:
		s.pass(registryID, m)
	case catalog.RunChanged, catalog.ApprovalChanged:
		s.pass(liveID, m)
	case catalog.Changed:
		s.pass(typecacheID, m)
		s.pass(searchID, m)
	case catalog.RegistryStarted:
		s.notifyServers()
		s.passToServers(server.Announce{})
	case configure:
		s.configure(c, m)
	case spawn:
		s.spawnTemporary(c, m)
	case mailbox.Failed:
		s.failed(m)
	case mailbox.Ended:
		s.ended(c, m)
	case respawn:
		s.respawn(c, m)
	case listActors:
		m.reply.Send(s.actors(c), nil)
	case stopAll:
		s.stopAll(c, m)
	}
}

func (s *supervisor) start(c *actor.Context) {
	engine, self := c.Engine(), c.PID()
	s.post = func(message any) { mailbox.Send(engine, self, message) }
	s.since = time.Now()
	s.children, s.byLife = map[string]*child{}, map[*mailbox.Life]*child{}
	for _, spec := range s.permanent {
		s.spawn(c, s.add(spec))
	}
}

// pass sends a fact to an actor. A fact for an actor that is being restarted is lost;
// every actor that depends on facts requests the current state when it starts.
func (s *supervisor) pass(id string, fact any) {
	if to, ok := s.directory.find(id); ok {
		mailbox.Send(to.Engine, to.PID, fact)
	}
}

func (s *supervisor) passToServers(message any) {
	for id, ch := range s.children {
		if ch.server != nil {
			s.pass(id, message)
		}
	}
}

// faulted records a panic of the supervisor. It runs on the supervisor's goroutine.
func (s *supervisor) faulted(err error) {
	s.fault = err
	mailbox.LogFailure(s.logger, slog.LevelError, "supervisor panicked", err)
}

// options returns the options to spawn a child. The name of a server may contain a slash.
func options(id string, life *mailbox.Life) []actor.OptFunc {
	return life.Options(url.PathEscape(id))
}

// directory has the addresses of the running actors. Only the supervisor writes it.
// It is safe for concurrent use.
type directory struct {
	mu sync.RWMutex
	at map[string]mailbox.Address // by id
}

func newDirectory() *directory { return &directory{at: map[string]mailbox.Address{}} }

func (d *directory) find(id string) (mailbox.Address, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	at, ok := d.at[id]
	return at, ok
}

func (d *directory) set(id string, at mailbox.Address) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at[id] = at
}

func (d *directory) remove(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.at, id)
}

// spawnLimit bounds the start of an actor.
const spawnLimit = 10 * time.Second

// spawn starts a temporary actor under the supervisor. The actor is not restarted.
func (s *System) spawn(ctx context.Context, id string, p actor.Producer) (mailbox.Address, error) {
	if s.closing.Err() != nil {
		return mailbox.Address{}, mailbox.ErrStopped
	}
	ctx, cancel := context.WithTimeout(ctx, spawnLimit)
	defer cancel()
	return mailbox.Ask(ctx, s.supervisor(), func(r mailbox.Reply[mailbox.Address]) any {
		return spawn{spec{id: id, produce: p, temporary: true}, r}
	})
}
