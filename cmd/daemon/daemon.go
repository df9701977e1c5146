// Package daemon starts a gateway's actors with the user's configuration, and reloads the
// configuration while they run. A command that runs without a gateway starts its actors in
// the same way.
package daemon

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/gateway"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/runner/remote"
	"github.com/toolscript/toolscript/transport/hub"
	"github.com/toolscript/toolscript/transport/telemetry"
	"github.com/toolscript/toolscript/transport/upstream"
)

// StopTime bounds the end of a Daemon: answering calls in flight, and ending servers and
// workers.
const StopTime = 5 * time.Second

// spareDenos is the number of Deno processes that are kept ready if the configuration
// selects that engine. Each uses 36 MB, of which 11 MB are private (Rss and private pages
// of Deno 2.9.6 in /proc/PID/smaps_rollup).
const spareDenos = 2

// Options are set by the command line.
type Options struct {
	Trust     bool                 // project files have effect even if the user has not trusted them
	Search    func(*config.Search) // applies flags to the settings of the files; may be nil
	Logger    *slog.Logger
	Actors    actors.Options // without servers, workers and search, which the configuration sets
	FleetLook time.Duration  // pause between two looks for the servers of the fleet; 0: 30 seconds
	Telemetry bool           // send spans and metrics if an endpoint is configured
	Watch     *Watch         // server to observe; may be nil
	Lent      *Lent          // servers in another gateway; may be nil
	Changed   func()         // called after a reload that has changed a server; may be nil
	MCP       bool           // MCP clients use the gateway; their users approve calls there if the user's file says so
}

// Daemon is a gateway's actors with the configuration in force.
type Daemon struct {
	*gateway.Gateway
	host      *Host
	options   Options
	settings  atomic.Pointer[config.Settings]
	started   config.Settings // settings at the start, some of which no reload replaces
	deno      *denoEngine
	agents    *agents
	hub       *hub.Client
	answers   *budget.Budget
	fleet     *fleet
	runners   *remote.Fleet
	telemetry *telemetry.Exporter // nil: nothing is sent
	secrets   knownSecrets
	ready     chan struct{} // closed when Gateway is set

	reloading sync.Mutex
	variables map[string]string // values from reloads; guarded by reloading
}

// Start starts the actors with a configuration.
func (h *Host) Start(loaded *config.Config, options Options) (*Daemon, error) {
	d := &Daemon{
		host: h, options: options, variables: map[string]string{}, ready: make(chan struct{}),
		deno: &denoEngine{host: h, logger: options.Logger},
	}
	d.runners = d.newRunners(options.Logger)
	d.agents = &agents{daemon: d, known: map[string]*launched{}}
	d.applyFlags(loaded)
	options.Watch.apply(loaded)
	d.started = loaded.Settings
	d.settings.Store(&loaded.Settings)
	d.secrets.add(loaded.Servers)
	d.answers = budget.New(func() int64 { return d.settings.Load().AnswersMB << 20 })
	d.fleet = d.newFleet(loaded.Settings.Fleet, d.answers)
	d.fleet.begin(loaded)
	o := options.Actors
	if options.Telemetry {
		d.telemetry = h.exporter(loaded.Settings.Telemetry, options.Logger)
		o.Tracer = d.telemetry.Tracer()
	}
	o.Servers, o.Logger, o.NoServers = loaded.Servers, options.Logger, h.NoServers(loaded)
	o.Configuration = config.Paths(loaded.Files)
	o.Logins = h.Logins(options.Logger)
	d.hub = h.hubClient(d.answers, options.Logger)
	o.Audit = h.Audit(loaded.Settings.Audit, options.Logger)
	o.Memory = options.Lent.memory(server.ToolLists(h.Cache("tools")))
	o.Store = d.store(loaded.Files)
	o.Approvals.Store = h.approvals()
	o.Approvals.Project, _ = config.ProjectFolder(h.Config) // Load would have failed if it were unknown
	o.Approvals.Policies = func() toolscript.Approvals { return d.settings.Load().Approvals }
	if options.MCP {
		o.Approvals.Client = func() bool { return d.settings.Load().ConfirmAtClient }
	}
	o.Warnings = d.warnings
	o.Secrets = func() map[string]string { return d.secrets.with(d.settings.Load().Secrets()) }
	o.CountTools = func() toolscript.Filter { return d.settings.Load().Telemetry.Tools }
	o.Profiles = func(name string) (string, toolscript.Filter, error) { return d.settings.Load().Narrow(name) }
	o.Pins = actors.Pins{Store: h.pins(), Policy: func() toolscript.PinPolicy { return d.settings.Load().PinPolicy() }}
	o.Types = func() actors.Types { return typeOptions(d.settings.Load().Types) }
	d.completeScripts(&o.Scripts)
	var warnings []string
	if o.Search, warnings = h.searchOptions(loaded.Settings.Search); len(warnings) > 0 {
		h.Warn("%s", strings.Join(warnings, "; "))
	}
	var err error
	if d.Gateway, err = gateway.Start(gateway.Options{
		Options: o, Host: d.connections(), Cache: h.Cache, Watched: options.Watch.record(),
		Over: func(dial upstream.Dial) upstream.Dial { return options.Lent.over(dialOwn(dial)) },
	}); err != nil {
		d.release()
		_ = d.telemetry.Close(context.Background()) // it has nothing to send
		return nil, err
	}
	close(d.ready)
	d.reloading.Lock()
	d.fleet.follow(true)
	d.reloading.Unlock()
	d.telemetry.SendMetrics(d.Measures)
	return d, nil
}

// release ends what the actors use: processes and connections.
func (d *Daemon) release() {
	d.runners.Reset()
	d.fleet.close()
	d.hub.Close()
}

// completeScripts adds Deno, and where runs are kept.
func (d *Daemon) completeScripts(s *actors.Scripts) {
	s.Deno, s.StartDeno = d.deno.status, d.deno.start
	if s.Warm && d.settings.Load().Engine == toolscript.EngineDeno && d.deno.status().Available {
		s.SpareDeno = spareDenos
	}
	s.Defaults, s.Remote = d.defaults, d.takeRunner
	s.Record = func(r kept.Recording) error {
		store, err := d.host.Recordings(d.settings.Load().Audit.Recipients)
		if err != nil {
			return err
		}
		if r, err = d.secrets.clean(r); err != nil {
			return err
		}
		return store.Save(r)
	}
	s.KeptDir, s.DetachedDir = d.host.Outputs().Dir, d.host.DetachedRuns().Dir
}

// defaults returns the settings of runs that do not set their own.
func (d *Daemon) defaults() actors.Defaults {
	s := d.settings.Load()
	return actors.Defaults{
		Engine: s.Engine, Check: s.Check, Limits: s.Limits, Pool: s.Pool,
		TZ: d.zone,
	}
}

// zone returns the name of the time zone of scripts; it follows the machine's.
func (d *Daemon) zone() string {
	return cmp.Or(ZoneOf(d.host.getenv("TZ")), ZoneOfHost("/"))
}

func (d *Daemon) applyFlags(loaded *config.Config) {
	if d.options.Search != nil {
		d.options.Search(&loaded.Settings.Search)
	}
}

// typeOptions converts the settings. In the result, 0 selects the default length of
// descriptions, and a negative length omits them.
func typeOptions(t config.Types) actors.Types {
	o := actors.Types{Options: codegen.Options{Open: t.OpenObjects}, NoObserve: t.NoObserve}
	switch {
	case t.Describe == nil:
	case *t.Describe == 0:
		o.Describe = -1
	default:
		o.Describe = *t.Describe
	}
	return o
}

// Close ends the actors, the servers and their processes; see actors.System.
func (d *Daemon) Close(ctx context.Context) error {
	defer d.release()
	defer d.options.Lent.close()
	d.hub.Leave()
	d.endMetrics(ctx)
	return errors.Join(d.Gateway.Close(ctx), d.deno.close(), d.endSpans(ctx))
}

// Stop calls Close with a limit of StopTime.
func (d *Daemon) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), StopTime)
	defer cancel()
	return d.Close(ctx)
}
