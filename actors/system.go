// Package actors is the running gateway: connections to servers, the catalog of their
// tools, the types generated from it, and the runs of scripts. Actors own this state.
// Other packages use a System, which has one method for each request; only this
// package sends messages to actors. See docs/design/processes.md.
package actors

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/approval"
	"github.com/toolscript/toolscript/actors/audit"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/live"
	"github.com/toolscript/toolscript/actors/login"
	"github.com/toolscript/toolscript/actors/pin"
	"github.com/toolscript/toolscript/actors/search"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/actors/store"
	"github.com/toolscript/toolscript/actors/typecache"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/codegen/validate"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/transport/oauth"
	"github.com/toolscript/toolscript/transport/upstream"
)

// DefaultConnectTimeout bounds one attempt to connect to a server that has no
// Config.StartupTimeout.
const DefaultConnectTimeout = time.Minute

// Options configure a System. Every field may be zero.
type Options struct {
	Servers        map[string]upstream.Config // by configured name
	Dial           server.Dial                // nil: that of the zero upstream.Host
	Logins         *oauth.Sessions            // nil: no logins
	ConnectTimeout time.Duration              // 0: DefaultConnectTimeout
	HealthInterval time.Duration              // between two health checks of an idle server; 0: 30 seconds
	Memory         server.Memory              // keeps tool lists over restarts; nil: none
	OnDemand       bool                       // connect to a server when Await or a call first selects it
	Rest           bool                       // servers whose tools are in Memory rest until the first call
	Rested         func()                     // called when a server begins to rest; must not block; nil: nothing
	Types          func() Types               // called for each module; nil: the zero Types
	NoObserve      bool                       // do not observe results, whatever Types says
	Feed           *live.Feed                 // what operators see, with the log; nil: without the log
	Configuration  []string                   // paths of the configuration files; only shown
	Logger         *slog.Logger               // nil: nothing is logged; see also LaterHandler
	Scripts        Scripts                    // zero: the System runs no scripts
	Store          *store.Options             // values that outlive runs; nil: there is no store
	Approvals      Approvals                  // zero: only tools with RequiresApproval need approval
	Search         SearchOptions              // zero: only words are compared
	Audit          *audit.Log                 // nil: there is no audit; Close closes it

	// Secrets returns the secrets of the configuration outside of its servers, by the text that
	// replaces each in logs; nil: none. It is called at the start and by RenewRedactors.
	Secrets func() map[string]string

	// Tracer records spans of runs, calls and requests to servers; nil: nothing is recorded.
	Tracer toolscript.Tracer

	// CountTools selects the tools that have counters of their own in Measures, at most 200;
	// called for each call. Nil: none.
	CountTools func() toolscript.Filter
	Pins       Pins // zero: nothing is pinned

	// Profiles returns the tools of a profile, see System.Profile; nil: there are none.
	Profiles func(name string) (used string, allow toolscript.Filter, err error)

	// NoServers is the error of a search, and of a script that uses a server, if no
	// server is configured; nil: they find nothing.
	NoServers error

	// Warnings returns problems for the status that the user can solve; nil: there are none.
	Warnings func() []string

	// ServersOnly leaves out what a hub does not need: types, search, approvals and runs. If
	// Scripts.StartSandbox is set, LendSandbox still works.
	ServersOnly bool

	// Known are the tools that servers listed last, by name of the server. A search
	// finds them without a connection.
	Known map[string][]toolscript.Tool

	intercept func(actor string, message any) // see mailbox.Supervision
}

// Types configure how modules are written.
type Types struct {
	codegen.Options      // Form is ignored; Describe applies to the compact form
	NoObserve       bool // do not observe results of tools without an output schema
}

func (o Options) withDefaults() Options {
	if o.Dial == nil {
		o.Dial = upstream.Host{}.Dial()
	}
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = DefaultConnectTimeout
	}
	if o.Types == nil {
		o.Types = func() Types { return Types{} }
	}
	if o.Feed == nil {
		o.Feed = live.NewFeed()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// System is the running gateway. Its methods are safe for concurrent use.
type System struct {
	options        Options
	engine         *actor.Engine
	root           *actor.PID
	directory      mailbox.Directory
	life           *mailbox.Life // of the root
	ports          sync.Map      // the *server.Port of each server, by its name
	view           atomic.Pointer[snapshot]
	direct         atomic.Uint64 // numbers the calls that belong to no run and no request
	sessions       atomic.Uint64 // numbers the sessions of MCP clients on stdio
	arguments      validate.Validator
	dialect        atomic.Pointer[runner.Declarations] // the newest types of a script of an answer
	observed       codegen.Observer                    // shapes of results of tools without an output schema
	shapesOfStored storedShapes
	started        time.Time
	starts         *server.Starts
	search         *search.Search
	searching      atomic.Pointer[SearchOptions] // the current options

	counters counters
	watches  *live.Watches // passes announcements of servers to clients

	redactors   atomic.Pointer[map[string]redactor]              // by name of the server; "" for texts of no server
	identities  atomic.Pointer[map[string]approval.PinnedServer] // by name, for pins
	guard       *pin.Guard
	accepting   sync.Map                   // the *acceptance of each request to accept a pin, by its id
	configuring sync.Mutex                 // held during a change of the configuration
	configured  map[string]upstream.Config // the current configuration; guarded by configuring

	work    mailbox.Group // goroutines that may outlive the actors for a moment
	closing context.Context
	shut    context.CancelFunc
	closed  sync.Once
	unclean error // the error of Close
}

// snapshot is a View with a channel that reports the next View.
type snapshot struct {
	catalog.View
	replaced chan struct{} // closed when a newer View is published
}

// Start starts the actors and connects to all servers in parallel, unless they are on
// demand. It does not wait for the connections; Await does.
func Start(o Options) (*System, error) {
	engine, err := actor.NewEngine(actor.NewEngineConfig())
	if err != nil {
		return nil, err
	}
	s := &System{
		options:    o.withDefaults(),
		engine:     engine,
		started:    time.Now(),
		starts:     server.NewStarts(runtime.GOMAXPROCS(0)),
		configured: o.Servers,
	}
	s.redactors.Store(redactorsOf(o.Servers, o.Secrets))
	s.identities.Store(s.identitiesOf(o.Servers))
	s.guard = s.newGuard()
	s.closing, s.shut = context.WithCancel(context.Background())
	s.watches = s.newWatches()
	s.searching.Store(&s.options.Search)
	s.search = s.newSearch()
	s.openFeed()
	configured := s.serverSpecs()
	s.publish(catalog.First(statuses(configured), known(configured)...))
	root := &supervisor{Supervisor: s.supervises(supervisorID), permanent: s.specs(configured)}
	s.life = root.NewLife(supervisorID)
	s.root = engine.Spawn(func() actor.Receiver { return root }, "toolscript", s.life.SupervisorOptions("0")...)
	return s, nil
}

// supervises returns the Supervisor for the actor with an id.
func (s *System) supervises(id string) mailbox.Supervisor {
	return mailbox.Supervisor{ID: id, Supervision: mailbox.Supervision{
		Directory: &s.directory, Logger: s.options.Logger, Gone: s.closing.Done(), Intercept: s.options.intercept,
		Changed: s.actorChanged,
	}}
}

// specs returns the actors that exist once, in the order of their start.
func (s *System) specs(configured []serverSpec) []mailbox.Spec {
	logger := s.options.Logger
	all := &servers{Supervisor: s.supervises(serversID), configured: configured}
	servers := mailbox.Spec{ID: serversID, Produce: func() actor.Receiver { return all }}
	catalog := mailbox.Spec{ID: registryID, Produce: func() actor.Receiver {
		return catalog.New(catalog.Options{Current: s.current, Publish: s.publish, Logger: logger})
	}}
	if s.options.ServersOnly {
		return slices.Concat([]mailbox.Spec{catalog}, s.converterSpecs(), []mailbox.Spec{servers}, s.lentSpecs())
	}
	specs := []mailbox.Spec{
		catalog,
		{ID: typecacheID, Produce: func() actor.Receiver {
			return typecache.New(typecache.Options{Current: s.current, Logger: logger, Work: &s.work})
		}},
		s.approvalSpec(),
		{ID: authID, Produce: func() actor.Receiver { return login.New(logger, &s.work) }},
	}
	if log := s.options.Audit; log != nil {
		specs = append(specs, mailbox.Spec{ID: auditID, Produce: audit.New(log, &s.work)})
	}
	if o := s.options.Store; o != nil {
		specs = append(specs, mailbox.Spec{ID: storeID, Produce: store.New(*o, fmt.Sprintf("gateway %d %d", os.Getpid(), s.started.UnixNano()))})
	}
	specs = append(specs, s.searchSpecs()...)
	specs = append(specs, s.converterSpecs()...) // before the servers, whose documents it reads
	specs = append(specs, servers)
	return append(specs, s.scriptSpecs()...)
}

func (s *System) serverSpecs() (all []serverSpec) {
	for _, name := range upstream.Names(s.options.Servers) {
		all = append(all, s.serverSpec(name, s.options.Servers[name], true))
	}
	return all
}

func (s *System) current() catalog.View { return s.view.Load().View }

// publish replaces the View. After the start only the registry calls it.
func (s *System) publish(v catalog.View) {
	old := s.view.Swap(&snapshot{View: v, replaced: make(chan struct{})})
	if old != nil {
		close(old.replaced)
	}
	s.putServers(old, v)
	s.auditOffers(old, v)
}

// Catalog returns the current catalog. It does not block.
func (s *System) Catalog() toolscript.Catalog { return s.current().Catalog }

// Names returns the identifiers of the current catalog's tools.
func (s *System) Names() *naming.Names { return s.current().Names() }

// panicked returns a function for rescue.Catch that turns a panic into the error of the request.
func (s *System) panicked(err *error) func(*rescue.Error) {
	return func(p *rescue.Error) {
		*err = p.Internal()
		mailbox.LogFailure(s.options.Logger, slog.LevelError, "request failed", *err)
	}
}

// requestLimit bounds a request to an actor whose caller sets no deadline.
const requestLimit = 10 * time.Second

// bounded adds a deadline to a context without a deadline.
func bounded(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}
