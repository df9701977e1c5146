// Package gateway puts a gateway together: the actors, the connections to servers, the worker processes,
// and what starts and confines the processes of servers.
package gateway

import (
	"context"
	"log/slog"
	"os"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/runner/command"
	"github.com/toolscript/toolscript/runner/observed"
	"github.com/toolscript/toolscript/runner/worker"
	_ "github.com/toolscript/toolscript/transport/kinds" // for upstream.Host.Dial
	"github.com/toolscript/toolscript/transport/upstream"
)

// Options configure a Gateway.
type Options struct {
	actors.Options // Start sets Dial and the workers of Scripts, and Memory if there is a cache for it

	// Host is what servers get. Start adds how processes and programs are started and confined, the
	// logins of Options.Logins, and the converters.
	Host upstream.Host

	Over    func(upstream.Dial) upstream.Dial // wraps the Dial for the servers of all kinds; nil: nothing
	Hold    []*os.File                        // stay open until the processes of servers have ended, even if this one is killed
	Watched *observed.Record                  // what watched servers do; nil: no server is watched

	// Cache returns the folder of a cache, or "" if there is none: quickjs has compiled engines,
	// confined has what servers install, and tools has lists of tools. Nil: there are no caches.
	Cache func(name string) string

	Lends bool // with ServersOnly: the gateway has sandboxes, for scripts of others
}

// Gateway is a System with all that it uses.
type Gateway struct {
	*actors.System
	reaper *proc.Reaper
	ready  chan struct{} // closed when System is set
}

// Start starts a gateway in this process. It does not wait for the servers.
func Start(o Options) (*Gateway, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Cache == nil {
		o.Cache = func(string) string { return "" }
	}
	g := &Gateway{reaper: proc.NewReaper(o.Logger, o.Hold...), ready: make(chan struct{})}
	o.Dial = g.host(o).Dial()
	if o.Over != nil {
		o.Dial = o.Over(o.Dial)
	}
	if o.Memory == nil {
		o.Memory = server.ToolLists(o.Cache("tools"))
	}
	o.addWorkers()
	var err error
	if g.System, err = actors.Start(o.Options); err != nil {
		g.reaper.Close()
		return nil, err
	}
	close(g.ready)
	return g, nil
}

// host returns what the connections of the servers get.
func (g *Gateway) host(o Options) upstream.Host {
	h := o.Host
	h.Reaper, h.Confiner = g.reaper, Confiner{CacheDir: o.Cache("confined"), Record: o.Watched}
	h.RunCommand, h.Confinement, h.Convert = RunCommand, command.Confinement(), g.convert
	if o.Logins != nil {
		h.RoundTripper = actors.Credentials(o.Logins)
	}
	return h
}

// convert is the upstream.ConvertPort of the servers, which may need it before Start has returned.
func (g *Gateway) convert(ctx context.Context, name string, input [][]byte, need upstream.ConvertNeed, most int) ([]byte, error) {
	select {
	case <-g.ready:
		return g.Convert(ctx, name, input, need, most)
	case <-ctx.Done():
		return nil, toolscript.ContextError(ctx)
	}
}

// addWorkers adds the worker processes, which are processes of this program.
func (o *Options) addWorkers() {
	if o.ServersOnly && !o.Lends {
		return
	}
	of, s := worker.Options{CacheDir: o.Cache("quickjs"), Log: o.Logger}, &o.Scripts
	s.StartSandbox = func(ctx context.Context) (workers.Worker, error) { return worker.StartSandbox(ctx, of) }
	if !o.ServersOnly {
		s.StartChecker = func(ctx context.Context) (workers.Worker, error) { return worker.StartChecker(ctx, of) }
		s.StartConverter = func(ctx context.Context) (workers.Worker, error) { return worker.StartConverter(ctx, of) }
	}
}

// Close ends all calls, scripts and servers, and their processes.
func (g *Gateway) Close(ctx context.Context) error {
	defer g.reaper.Close()
	return g.System.Close(ctx)
}

// RunCommand runs a program, with this program as the helper process.
func RunCommand(ctx context.Context, p upstream.Program) (upstream.ProgramResult, error) {
	r, err := command.Runner{}.Run(ctx, command.Spec(p))
	return upstream.ProgramResult(r), err
}
