package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/transport/api"
)

// Provider answers commands about servers: a running gateway, or a daemon of this process
// that starts servers on demand.
type Provider interface {
	// The next three methods wait for the servers that f selects; see api.Direct.
	Servers(ctx context.Context, f toolscript.Filter, wait time.Duration) ([]toolscript.ServerStatus, error)
	Tools(ctx context.Context, f toolscript.Filter, wait time.Duration) (api.Tools, error)
	Types(ctx context.Context, f toolscript.Filter, form api.Form, wait time.Duration) (api.Types, error)
	StoreTypes(ctx context.Context, q toolscript.StoreQuery) (toolscript.StoreTypes, error)
	Fetch(ctx context.Context, o toolscript.FetchRequest) (json.RawMessage, error)
	Close()
}

// Provider returns the gateway that exec would use, or starts a daemon.
func (f *Finder) Provider(ctx context.Context, trust bool, logger *slog.Logger) (Provider, error) {
	return f.provider(ctx, trust, logger, actors.Options{OnDemand: true})
}

// Lists is like Provider, for commands that only read lists of tools. The daemon does not
// start a server whose list is stored, unless its definition has changed since.
func (f *Finder) Lists(ctx context.Context, trust bool, logger *slog.Logger) (Provider, error) {
	return f.provider(ctx, trust, logger, actors.Options{OnDemand: true, Rest: true})
}

func (f *Finder) provider(ctx context.Context, trust bool, logger *slog.Logger, o actors.Options) (Provider, error) {
	g, err := f.Shared(ctx, trust)
	if err != nil {
		return nil, err
	}
	if g != nil {
		return g, nil
	}
	loaded, err := f.Host.Load(trust)
	if err != nil {
		return nil, err
	}
	if len(loaded.Servers) == 0 && !loaded.Settings.Fleet.All() {
		f.Host.Warn("%v", f.Host.NoServers(loaded))
	}
	own, err := f.Host.Start(loaded, daemon.Options{
		Trust: trust, Logger: logger, Actors: o, Lent: f.Lent(ctx, loaded),
		Search: func(s *config.Search) { s.Lexical = true }, // these commands do not search
	})
	if err != nil {
		return nil, err
	}
	used, allow, err := own.Profile(f.Profile)
	if err != nil {
		return nil, errors.Join(err, own.Stop())
	}
	return &local{api.Direct{Backend: own, Allow: allow, Profile: used}, own, f.Host.Warn}, nil
}

// local is a daemon of this process.
type local struct {
	api.Direct
	*daemon.Daemon
	warn func(format string, args ...any)
}

func (l *local) Servers(ctx context.Context, f toolscript.Filter, wait time.Duration) ([]toolscript.ServerStatus, error) {
	servers, err := l.Direct.Servers(ctx, f, wait)
	l.AddHosts(ctx, servers)
	return servers, err
}

func (l *local) Types(ctx context.Context, f toolscript.Filter, form api.Form, wait time.Duration) (api.Types, error) {
	if len(l.Select(f, nil).Unknown) == len(f) && len(l.Select(f, nil).Missing) == 0 { // suggestions may be tools of any server
		waiting, cancel := context.WithTimeout(ctx, actors.ListTime)
		defer cancel()
		l.AwaitLists(waiting, nil)
	}
	types, err := l.Direct.Types(ctx, f, form, wait)
	types.WaitedFor = nil // only a gateway reports waits
	return types, err
}

func (l *local) Tools(ctx context.Context, f toolscript.Filter, wait time.Duration) (api.Tools, error) {
	tools, err := l.Direct.Tools(ctx, f, wait)
	tools.WaitedFor = nil
	return tools, err
}

// Fetch is limited to the servers of the profile.
func (l *local) Fetch(ctx context.Context, o toolscript.FetchRequest) (json.RawMessage, error) {
	o.Allow = l.Allow
	return l.Daemon.Fetch(ctx, o)
}

// Close stops the servers.
func (l *local) Close() {
	if err := l.Stop(); err != nil {
		l.warn("%v", err)
	}
}
