// Package actors is the gateway at work: the servers it is connected to, the
// catalog of their tools, the types generated from it, the runs of scripts. Actors own all of that;
// a System is the door to them, with one plain method for each question. No
// other package speaks to an actor.
package actors

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/auth"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/registry"
	"github.com/toolscript/toolscript/actors/search"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/actors/typecache"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/codegen/observe"
	"github.com/toolscript/toolscript/codegen/validate"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/oauth"
)

// startsPerCPU is how many servers start at once for each processor. Most of
// their start is work of one.
const startsPerCPU = 2

// DefaultConnectTimeout bounds the connecting to one server.
const DefaultConnectTimeout = 30 * time.Second

// Options are what a System is made from. Every field may be left zero.
type Options struct {
	Servers        map[string]mcpclient.Config // by configured name
	Dial           server.Dial                 // nil: that of real servers
	Logins         *oauth.Book                 // nil: nobody can log in anywhere
	ConnectTimeout time.Duration               // 0: DefaultConnectTimeout
	Memory         server.Memory               // of the tools of servers over restarts; nil: none
	OnDemand       bool                        // connect to a server when Await or a call first selects it
	Types          func() Types                // how modules are written, asked for each; nil: the zero Types
	NoObserve      bool                        // whatever Types says of it
	Logger         *slog.Logger                // nil: nothing is logged
	Scripts        Scripts                     // how scripts are run; zero: not at all
	Search         SearchOptions               // how tools are found; zero: by their words
}

// Types say how modules are written.
type Types struct {
	codegen.Options      // Form is the caller's, Describe that of the compact form
	NoObserve       bool // neither remember nor show what results look like that no schema describes
}

func (o Options) withDefaults() Options {
	if o.Dial == nil {
		var d mcpclient.Dialer
		if o.Logins != nil {
			d.RoundTripper = Credentials(o.Logins)
		}
		o.Dial = server.DialMCP(d)
	}
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = DefaultConnectTimeout
	}
	if o.Types == nil {
		o.Types = func() Types { return Types{} }
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// System is the running gateway. Its methods are safe for concurrent use.
type System struct {
	options   Options
	engine    *actor.Engine
	root      *actor.PID
	directory *directory
	view      atomic.Pointer[snapshot]
	arguments validate.Validator
	observed  observe.Observer // results of tools that promise nothing
	started   time.Time
	starts    *server.Starts
	search    *search.Search
	searching atomic.Pointer[SearchOptions] // those in force

	configuring sync.Mutex                  // of what is configured, one change at a time
	configured  map[string]mcpclient.Config // those in force; guarded by configuring

	work    mailbox.Group // what may outlive the actors for a moment
	closing context.Context
	shut    context.CancelFunc
	closed  sync.Once
	unclean error // what Close answers
}

// snapshot is a View and the way to learn that it is out of date.
type snapshot struct {
	registry.View
	replaced chan struct{} // closed when the next View is in force
}

// Start starts the actors and connects to all servers in parallel, unless they
// are on demand. It waits for none of them; Await does.
func Start(o Options) (*System, error) {
	engine, err := actor.NewEngine(actor.NewEngineConfig())
	if err != nil {
		return nil, err
	}
	s := &System{
		options:    o.withDefaults(),
		engine:     engine,
		directory:  newDirectory(),
		started:    time.Now(),
		starts:     server.NewStarts(startsPerCPU * runtime.GOMAXPROCS(0)),
		configured: o.Servers,
	}
	s.closing, s.shut = context.WithCancel(context.Background())
	s.searching.Store(&s.options.Search)
	s.search = s.newSearch()
	specs := s.specs()
	s.publish(registry.First(statuses(specs)))
	root := &supervisor{
		permanent: specs,
		directory: s.directory,
		logger:    s.options.Logger,
		gone:      s.closing.Done(),
	}
	s.root = engine.Spawn(func() actor.Receiver { return root }, "toolscript", mailbox.RootOptions("0", root.faulted)...)
	return s, nil
}

// specs are the actors that there are as long as the System runs, in the order
// of their start.
func (s *System) specs() []spec {
	logger := s.options.Logger
	all := []spec{
		{id: registryID, produce: func() actor.Receiver {
			return registry.New(registry.Options{Current: s.current, Publish: s.publish, Logger: logger})
		}},
		{id: typecacheID, produce: func() actor.Receiver { return typecache.New(logger, &s.work) }},
		{id: authID, produce: func() actor.Receiver { return auth.New(logger, &s.work) }},
	}
	all = append(all, s.searchSpecs()...)
	for name, config := range s.options.Servers {
		all = append(all, s.serverSpec(name, config))
	}
	return append(all, s.scriptSpecs()...)
}

func (s *System) current() registry.View { return s.view.Load().View }

// publish puts a View in force. The registry alone calls it once it runs.
func (s *System) publish(v registry.View) {
	old := s.view.Swap(&snapshot{View: v, replaced: make(chan struct{})})
	if old != nil {
		close(old.replaced)
	}
}

// Catalog is the current catalog. It does not block.
func (s *System) Catalog() toolscript.Catalog { return s.current().Catalog }

// Names are the identifiers of the current catalog's tools.
func (s *System) Names() *codegen.Names { return s.current().Names() }
