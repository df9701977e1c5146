package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/gateway"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/api"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/upstream"
)

// FleetOptions configure ServeFleet. Host, Read, Ready and Logger are required.
type FleetOptions struct {
	Host    *daemon.Host
	Read    func() (FleetSettings, error) // reads the settings, at the start and for each value of Reload
	Runners int                           // number of sandboxes for scripts of gateways; 0: none
	Ready   func(Joined) error            // called when gateways can use the hub for the first time, possibly after a wait for the cluster
	Reload  <-chan struct{}
	Metrics int // port of 127.0.0.1 for metrics and health of the hub; 0: none
	Logger  *slog.Logger
}

// FleetSettings are the part of the configuration that a hub of a fleet uses.
type FleetSettings struct {
	Address cluster.Address
	Servers map[string]upstream.Config
}

// Joined describes a hub that gateways can use.
type Joined struct {
	Address cluster.Address // its String has no secrets
	Servers []string        // sorted
	Runners int
}

// fleetHub is a hub of a fleet.
type fleetHub struct {
	FleetOptions
	name     string // name of this machine
	system   *gateway.Gateway
	answers  *budget.Budget
	settings FleetSettings
	parts    parts
	joined   atomic.Bool // the hub is connected to the cluster
}

// ServeFleet runs a hub of a fleet until ctx ends. While the cluster is unreachable, it tries
// again, even at the start; its servers continue. The error says why the cluster or another
// hub has refused it at the start.
func ServeFleet(ctx context.Context, o FleetOptions) (err error) {
	h := &fleetHub{FleetOptions: o, answers: budget.New(func() int64 { return 0 })}
	if h.name, err = os.Hostname(); err != nil {
		return fmt.Errorf("the name of this machine: %w", err)
	}
	if h.settings, err = o.Read(); err != nil {
		return err
	}
	if err := h.start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.stop()) }()
	if o.Metrics != 0 {
		metrics, err := api.ListenMetrics(h.system.Measures, h.health, o.Metrics, o.Logger)
		if err != nil {
			return err
		}
		defer func() { _ = metrics.Close() }() // the hub ends
	}
	if err := h.enter(ctx, refused); err != nil || ctx.Err() != nil {
		return err
	}
	if err := o.Ready(Joined{h.settings.Address, h.settings.names(), o.Runners}); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			o.Logger.Info("hub stopping")
			return nil
		case <-h.parts.drained():
			o.Logger.Info("hub stopping: an operator has asked for it")
			return nil
		case <-o.Reload:
			h.reload(ctx)
		case <-h.parts.serversLost():
			h.rejoin(ctx)
		case <-h.parts.runnersLost():
			h.rejoin(ctx)
		}
	}
}

// health returns why gateways cannot use the hub, or nil.
func (h *fleetHub) health() error {
	if !h.joined.Load() {
		return errors.New("the hub has no connection to the fleet, and tries again")
	}
	return nil
}

// start starts the actors.
func (h *fleetHub) start() (err error) {
	h.system, err = startServers(h.Host, gateway.Options{Host: upstream.Host{Answers: h.answers}, Options: actors.Options{Logger: h.Logger}, Lends: h.Runners > 0})
	return err
}

// stop leaves the fleet and ends the servers.
func (h *fleetHub) stop() error {
	h.parts.close()
	ctx, cancel := context.WithTimeout(context.Background(), daemon.StopTime)
	defer cancel()
	return h.system.Close(ctx)
}

// The minimum and maximum pause between attempts to join.
const (
	firstPause = 200 * time.Millisecond
	lastPause  = 5 * time.Second
)

// rejoin joins again after a connection was lost. It returns when it has succeeded or ctx ends.
func (h *fleetHub) rejoin(ctx context.Context) {
	h.Logger.Warn("connection to the fleet lost", slog.Any("fleet", h.settings.Address))
	h.joined.Store(false)
	h.parts.closeLost()
	_ = h.enter(ctx, func(error) bool { return false }) // it tries until ctx ends
	if ctx.Err() == nil {
		h.Logger.Info("connected to the fleet again", slog.Any("fleet", h.settings.Address))
	}
}

// refused reports whether trying again is useless, because the settings must be changed.
func refused(err error) bool {
	switch toolscript.KindOf(err) {
	case toolscript.Conflict, toolscript.Forbidden, toolscript.Invalid, toolscript.Unsupported:
		return true
	default:
		return cluster.Refused(err)
	}
}

// enter joins, and tries again until it succeeds, ends returns true for the error, or ctx ends. The
// pauses are random, so that hubs that have lost the same NATS server do not return at the same moment.
func (h *fleetHub) enter(ctx context.Context, ends func(error) bool) error {
	for pause, said := firstPause, ""; ctx.Err() == nil; pause = min(2*pause, lastPause) {
		err := h.join(ctx, h.settings, &h.parts)
		if err == nil {
			h.joined.Store(true)
			return nil
		}
		if ends(err) && ctx.Err() == nil {
			return err
		}
		if said != err.Error() {
			said = err.Error()
			h.Logger.Warn("fleet not joined; the hub tries again", slog.String("error", said))
		}
		select {
		case <-time.After(pause/2 + rand.N(pause)): //nolint:gosec // not secret
		case <-h.Reload:
			h.reload(ctx)
		case <-ctx.Done():
		}
	}
	return nil
}

// leave closes all connections.
func (h *fleetHub) leave() {
	h.parts.close()
	h.parts = parts{}
}

// reload applies new settings. After an error, the old ones stay in force. Unchanged servers continue,
// unless the fleet is another one: then the hub joins the new fleet and leaves the old one.
func (h *fleetHub) reload(ctx context.Context) {
	settings, err := h.Read()
	if err == nil {
		err = settings.mistake(h.settings)
	}
	if err != nil {
		h.Logger.Error("settings not reloaded; the old ones stay in force", slog.String("error", err.Error()))
		return
	}
	if settings.equal(h.settings) {
		h.Logger.Info("settings reloaded; they are the same")
		return
	}
	if h.parts.servers != nil && settings.Address == h.settings.Address && len(settings.Servers) > 0 {
		h.update(ctx, settings)
		return
	}
	var joined parts
	if err := h.join(ctx, settings, &joined); err != nil {
		h.Logger.Error("settings not reloaded; the old ones stay in force", slog.String("error", err.Error()))
		return
	}
	h.leave()
	for name := range h.settings.Servers {
		if _, still := settings.Servers[name]; still {
			continue
		}
		if err := h.system.WithdrawServer(ctx, name); err != nil {
			h.Logger.Error("server not ended", slog.String("server", name), slog.String("error", err.Error()))
		}
	}
	h.settings, h.parts = settings, joined
	h.Logger.Info("settings reloaded", slog.Any("servers", settings.names()))
}

// update changes the servers that are offered to the same fleet.
func (h *fleetHub) update(ctx context.Context, settings FleetSettings) {
	if err := h.parts.servers.Update(ctx, settings.offers()); err != nil {
		h.Logger.Error("settings not reloaded; the old ones stay in force", slog.String("error", err.Error()))
		return
	}
	h.settings = settings
	h.Logger.Info("settings reloaded", slog.Any("servers", settings.names()))
}
