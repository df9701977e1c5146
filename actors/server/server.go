// Package server contains the actor that owns the connection to one MCP server. It
// dials, dials again after a loss, publishes the list of tools, and makes calls.
// Blocking work runs in goroutines, which report back with messages. See docs/design/servers.md.
//
//	connecting → ready → backoff → connecting …
//	connecting → backoff | needs_auth | failed
//	ready → resting → starting → ready | backoff | needs_auth | failed
//
// A server with a process goes from connecting, in which it waits for other starts, through
// installing and starting to ready.
//
// A server with Config.Idle rests after that time without a call, and the next call starts it.
// With Options.Rest, it rests from the start. A server on demand is in state connecting from the
// start and dials when it is first needed.
package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/transport/oauth"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Options configure a Server. All fields are required except Login, Rest, Rested, Watches, Starts, Memory,
// HealthInterval, Tracer, Port, Known and Review.
type Options struct {
	Name           string
	Config         upstream.Config
	Dial           Dial
	Login          *oauth.Session // nil if users cannot log in at the server
	ConnectTimeout time.Duration  // for the handshake and the first list of tools, unless Config.StartupTimeout is set
	OnDemand       bool           // dial at the first Want or Call, not at the start
	Rest           bool           // rest until the first Want or Call; requires Known, and a Config without Problem
	Starts         *Starts        // shared by all servers; nil means no limit
	Rested         func()         // called when the server begins to rest; does not block; nil: nothing
	Watches        Watches        // receives the announcements of the server; may be nil
	HealthInterval time.Duration  // between two health checks; 0 means 30 seconds
	Memory         Memory         // nil if no tools are stored
	Logger         *slog.Logger
	Tracer         toolscript.Tracer
	Port           *Port // where callers find the connection; nil makes all calls messages

	// Known are the tools that the server listed before this start, if they are known.
	// KnownInstructions are its instructions then, and KnownReview is the review of both.
	Known             []toolscript.Tool
	KnownInstructions string
	KnownReview       Review

	// Review compares a list of tools with their pins, and examines their texts. It may be
	// slow. Nil: every tool may be used.
	Review func(instructions string, tools []toolscript.Tool) Review

	// Work counts dials, connections and calls that have not ended. They may outlive
	// the actor.
	Work *mailbox.Group
}

// Server is the state of the actor. Only Receive accesses it.
type Server struct {
	Options

	log  *serverLog
	life context.Context // ends with the actor
	end  context.CancelFunc
	post func(message any) // sends a message to this actor
	tell func(fact any)    // sends a fact to the parent

	asleep   bool // at rest, or on demand and not needed yet
	state    toolscript.ServerState
	since    time.Time
	retries  *mailbox.Schedule
	attempt  int // consecutive dials
	connects int // connections so far
	rests    int // connections after a rest

	rested bool // the start in progress follows a rest
	alone  bool // the last start stalled: the next one runs alone

	reconnecting bool // the connection was lost, and fewer than patience attempts have failed since
	lastErr      error
	leaving      Leave
	stderr       []string
	logged       string    // the last logged reason for not being connected
	nextTry      time.Time // time of the next attempt, in state backoff
	scheduled    time.Time // scheduled time of an attempt that a call triggered earlier; otherwise zero
	timer        *time.Timer

	generation uint64             // generation of the connection; increases with every dial and every end
	online     context.Context    // ends with the connection of this generation
	hangUp     context.CancelFunc // cancels online
	closed     chan struct{}      // closed when this connection and its process have ended
	dialled    chan struct{}      // closed when no dial runs any more
	awaiting   uint64             // the generation that dials when the last dial has ended
	restarts   []mailbox.Reply[toolscript.ServerStatus]
	conn       Conn // nil unless ready
	info       upstream.Info
	all        []toolscript.Tool // the tools and skills listed last, even while the server is not connected
	tools      []toolscript.Tool // the tools of all that the configuration selects
	warnings   []string
	unmatched  []string   // entries of the filters that resemble the name of no tool
	review     Review     // review of all
	reviews    int        // number of reviews so far
	texts      []TextRead // suspicious files of skills, the newest last
	nextPing   *time.Timer
	idle       *time.Timer // see watchIdle
	reading    *time.Timer // see rereadIn
	health     health      // health of this connection
	listing    listing
	pages      pages

	calls      *inFlight
	queue      queue
	lastQueued uint64
	token      *time.Timer // see awaitToken; nil before the first wait for a token
}

// New returns the actor of one server. It connects when it is started.
func New(o Options) *Server {
	o.Logger = o.Logger.With(slog.String("server", o.Name))
	if o.Port == nil {
		o.Port = &Port{} // unused
	}
	s := &Server{
		Options: o, retries: mailbox.NewSchedule(), calls: &inFlight{traffic: &o.Port.Traffic, tracer: o.Tracer, network: networkOf(o.Config.Type), calls: map[uint64]*pendingCall{}}, log: newServerLog(o.Logger, o.Config, &o.Port.Traffic.DroppedLines),
	}
	s.setLimits()
	return s
}

// Receive handles one message.
func (s *Server) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		s.start(c)
	case recalled:
		s.recalled(m)
	case starting:
		s.starting(m)
	case startLate:
		s.startLate(m)
	case connected:
		s.connected(m)
	case listChanged:
		s.listChanged(m)
	case listed:
		s.listed(m)
	case Reread:
		s.reread(m)
	case rereadDue:
		s.rereadDue(m)
	case toolUnknown:
		s.doubt(m)
	case pauseOver:
		s.pauseOver(m)
	case elicited:
		s.elicited(m)
	case pageFinished:
		s.pages.finish(m.page)
	case visited:
		s.call(m.call)
	case healthDue:
		s.healthDue(m)
	case healthKnown:
		s.healthKnown(m)
	case restDue:
		s.restDue(m)
	case reviewed:
		s.reviewed(m)
	case ended:
		s.ended(m)
	case redial:
		s.redial(m)
	case actor.Stopped:
		s.stop()
	default:
		s.receiveRequest(m)
	}
}

// receiveRequest handles the requests of other actors and of callers, and the messages about waiting calls.
func (s *Server) receiveRequest(m any) {
	switch m := m.(type) {
	case Want:
		s.want()
	case Retry:
		s.retry()
	case Restart:
		s.restart(m)
	case Adjust:
		s.adjust(m)
	case Leave:
		s.leaving = m
	case Again:
		s.again(m)
	case TextRead:
		s.textRead(m)
	case Call:
		s.want()
		s.call(m)
	case notSent:
		s.notSent(m)
	case unreachable:
		s.unreachable(m)
	case placeFree, tokenDue:
		s.advance()
	case callAbandoned:
		s.queue.remove(m.run, m.id)
	case waitOver:
		s.waitOver(m)
	case GetStatus:
		m.Reply.Send(s.status(), nil)
	case Announce:
		s.announce()
	}
}

// start dials, unless the server rests or is on demand.
func (s *Server) start(c *actor.Context) {
	engine, self, parent := c.Engine(), c.PID(), c.Parent()
	s.post = func(message any) { mailbox.Send(engine, self, message) }
	s.tell = func(fact any) { mailbox.Send(engine, parent, fact) }
	s.life, s.end = context.WithCancel(context.Background())
	s.info.Instructions = s.KnownInstructions
	if len(s.Known) > 0 {
		s.choose(s.Known, s.KnownReview)
		s.notifyTools()
	}
	if s.asleep = s.Rest; s.asleep {
		s.enter(toolscript.Resting)
		return
	}
	if s.asleep = s.OnDemand && !s.Config.Disabled; s.asleep {
		s.enter(toolscript.Connecting)
		return
	}
	s.open()
}

var errDisabled = errors.New("disabled in the configuration")

// open dials for the first time or after a rest, if the configuration allows it. The dial
// runs in a goroutine: hollywood runs Started in the spawner's goroutine, so a dial
// there would delay all other servers.
func (s *Server) open() {
	if s.Config.Disabled {
		s.lastErr = errDisabled
		s.enter(toolscript.Stopped)
		return
	}
	if err := s.Config.Problem; err != nil {
		s.lastErr = err
		s.enter(toolscript.Failed)
		s.Logger.Warn("server not started", slog.String("error", err.Error()))
		return
	}
	if s.state == toolscript.Resting {
		s.reconnecting = true // the server has worked, so calls wait for another attempt
		s.connectAfter(s.closed)
		return
	}
	s.connect()
	s.recall()
}

// stop must not block. Each connLoop closes its connection, and Work counts the
// connections that are still open.
func (s *Server) stop() {
	s.end()
	for _, timer := range []*time.Timer{s.timer, s.nextPing, s.token, s.idle, s.reading} {
		if timer != nil {
			timer.Stop()
		}
	}
	s.log.end()
	s.withdraw()
	s.abort(s.interrupted(toolscript.UnknownOutcome))
	s.queue.refuse(func(waiting) error { return s.interrupted("the call was not sent") })
	s.calls.end()
	s.refuseRestarts()
}
