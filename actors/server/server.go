// Package server is the actor that owns the connection to one MCP server: it
// dials, dials again when the connection is lost, tells which tools there are,
// and runs calls. Whatever waits for the server does so on goroutines, which
// come back as messages.
//
//	connecting → ready → backoff → connecting …
//	connecting → backoff | needs_auth | failed
//
// A server on demand is connecting from the start, and dials when it is first
// wanted.
package server

import (
	"context"
	"log/slog"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/internal/retry"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/oauth"
)

// Options are what a Server is made from. All fields but Login, Starts and Memory
// are needed.
type Options struct {
	Name           string
	Config         mcpclient.Config
	Dial           Dial
	Login          *oauth.Session // of a server that a person can log in at
	ConnectTimeout time.Duration  // for the handshake and the first list of tools together
	OnDemand       bool           // dial at the first Want or Call, not at the start
	Starts         *Starts        // shared by all servers; nil: any number may start at once
	Memory         Memory         // nil: nothing is known of a server before it has been asked
	Logger         *slog.Logger

	// Work counts dials, connections and calls, which may outlive the actor for
	// as long as it takes to end them.
	Work *mailbox.Group
}

// Server is the state of the actor; only Receive touches it.
type Server struct {
	Options

	life context.Context // ends with the actor
	end  context.CancelFunc
	post func(message any) // to this actor
	tell func(fact any)    // to the parent

	asleep   bool // on demand, and not wanted yet
	state    toolscript.ServerState
	since    time.Time
	retries  *retry.Schedule
	attempt  int // dials in the current row of tries
	connects int // connections so far
	lastErr  error
	stderr   []string
	nextTry  time.Time // in state backoff
	timer    *time.Timer

	generation uint64             // of the connection; rises with every dial and every end
	online     context.Context    // ends with the connection of this generation
	hangUp     context.CancelFunc // ends it
	conn       Conn               // nil unless ready
	info       mcpclient.Info
	tools      []toolscript.Tool // those listed last, also while the server is not connected
	warnings   []string
	health     *time.Timer
	unanswered int // health checks in a row
	listing    listing

	calls    map[uint64]call
	queue    queue
	lastCall uint64
}

// New makes the actor.
func New(o Options) *Server {
	o.Logger = o.Logger.With(slog.String("server", o.Name))
	return &Server{Options: o, retries: retry.New(), calls: make(map[uint64]call)}
}

// Receive handles one message.
func (s *Server) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		s.start(c)
	case recalled:
		s.recalled(m)
	case connected:
		s.connected(m)
	case listChanged:
		s.listChanged(m)
	case listed:
		s.listed(m)
	case pauseOver:
		s.pauseOver(m)
	case elicited:
		s.elicited(m)
	case healthDue:
		s.healthDue(m)
	case healthKnown:
		s.healthKnown(m)
	case Want:
		s.want()
	case Call:
		s.want()
		s.probe()
		s.call(m)
	case callDone:
		s.callDone(m)
	case gaveUp:
		s.queue.remove(m.run, m.id)
	case GetStatus:
		m.Reply.Send(s.status(), nil)
	case Announce:
		s.announce()
	case ended:
		s.ended(m)
	case redial:
		s.redial(m)
	case actor.Stopped:
		s.stop()
	}
}

// start dials, unless the server has to be wanted first.
func (s *Server) start(c *actor.Context) {
	engine, self, parent := c.Engine(), c.PID(), c.Parent()
	s.post = func(message any) { engine.Send(self, message) }
	s.tell = func(fact any) { engine.Send(parent, fact) }
	s.life, s.end = context.WithCancel(context.Background())
	if s.asleep = s.OnDemand; s.asleep {
		s.enter(toolscript.Connecting)
		return
	}
	s.open()
}

// want wakes a server on demand.
func (s *Server) want() {
	if s.asleep {
		s.asleep = false
		s.open()
	}
}

// open dials for the first time, unless the configuration forbids it. The dial
// is left to a goroutine: hollywood runs Started on the spawner's, where it would
// hold up every other server.
func (s *Server) open() {
	if err := s.Config.Problem; err != nil {
		s.lastErr = err
		s.enter(toolscript.Failed)
		s.Logger.Warn("server not started", slog.String("error", err.Error()))
		return
	}
	s.connect()
	s.recall()
}

// stop must not wait for anything: connections are closed by those who keep
// them, and Work says when that is done.
func (s *Server) stop() {
	s.end()
	for _, timer := range []*time.Timer{s.timer, s.health} {
		if timer != nil {
			timer.Stop()
		}
	}
	s.abort(errInterrupted, errInterrupted)
}
