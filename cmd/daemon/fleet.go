package daemon

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/hub"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

const (
	firstLook = 2 * time.Second  // time for the first look, when the actors start
	lookAgain = 5 * time.Second  // pause after a look that failed
	lookEvery = 30 * time.Second // pause after a look that succeeded
	lookTime  = 10 * time.Second // time for one look
	vanished  = 2                // looks in a row that do not see a server, after which it is removed
)

// fleet is the gateway's side of the fleet. It connects when a server of the fleet is
// dialled. If the gateway uses all servers that the fleet offers, it connects at once, and
// looks for them periodically.
type fleet struct {
	*hub.Fleet
	daemon  *Daemon
	inForce atomic.Pointer[config.Fleet]
	problem atomic.Pointer[string] // problem of the last look; nil: none

	// The fields below are guarded by Daemon.reloading.
	offered  map[string]int     // servers without an entry, with the number of looks that did not see them
	shadowed map[string]bool    // servers that are not used because an entry has the same name
	end      context.CancelFunc // ends the looks; nil: none are running

	again chan struct{} // requests a look
}

func (d *Daemon) newFleet(settings config.Fleet, answers *budget.Budget) *fleet {
	f := &fleet{daemon: d, offered: map[string]int{}, shadowed: map[string]bool{}, again: make(chan struct{}, 1)}
	f.inForce.Store(&settings)
	f.Fleet = hub.NewFleet(hub.FleetOptions{Address: d.fleetAddress, Answers: answers, Logger: d.options.Logger})
	return f
}

// fleetAddress returns the NATS cluster of the fleet in force. Its URL is empty if there is none.
func (d *Daemon) fleetAddress() cluster.Address { return d.fleet.inForce.Load().Address() }

// close ends the looks and the connection.
func (f *fleet) close() {
	f.daemon.reloading.Lock()
	f.rest()
	f.daemon.reloading.Unlock()
	f.Close()
}

// rest ends the looks, if they are running.
func (f *fleet) rest() {
	if f.end != nil {
		f.end()
		f.end = nil
	}
}

// use puts settings in force. If the address has changed, it ends the connection. The
// caller holds reloading.
func (f *fleet) use(next config.Fleet) {
	old := f.inForce.Swap(&next)
	if !reflect.DeepEqual(*old, next) {
		f.rest()
	}
	if !next.All() || old.Address() != next.Address() {
		f.offered = map[string]int{}
	}
	if old.Address() != next.Address() {
		f.Reset()
	}
}

// add adds the servers that the fleet offers to a configuration. The caller holds
// reloading.
func (f *fleet) add(loaded *config.Config) {
	next := loaded.Settings.Fleet
	f.shadow(loaded.Servers, next.Use)
	if !next.All() || next.Address() != f.inForce.Load().Address() {
		return
	}
	for name := range f.offered {
		if _, own := loaded.Servers[name]; !own {
			loaded.Servers[name] = next.Server()
		}
	}
}

// shadow logs servers of the fleet that are hidden by entries of the same name, each once.
func (f *fleet) shadow(servers map[string]upstream.Config, names []string) {
	for _, name := range names {
		if c, own := servers[name]; own && !c.Kind().Hub && !f.shadowed[name] {
			f.shadowed[name] = true
			f.daemon.options.Logger.Info("a server of the fleet is not used: the configuration has another one of that name", slog.String("server", name))
		}
	}
}

// begin looks for the servers once, and adds them to the configuration. An unreachable
// fleet does not stop the gateway.
func (f *fleet) begin(loaded *config.Config) {
	if !loaded.Settings.Fleet.All() {
		f.add(loaded)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), firstLook)
	defer cancel()
	names, err := f.names(ctx)
	f.report(err)
	for _, name := range names {
		f.offered[name] = 0
	}
	f.shadow(loaded.Servers, names)
	f.add(loaded)
}

// follow looks for the servers until the settings change. If seen, begin has just looked.
// The caller holds reloading.
func (f *fleet) follow(seen bool) {
	if !f.inForce.Load().All() {
		f.report(nil)
		return
	}
	if f.end != nil { // it is running already
		select {
		case f.again <- struct{}{}:
		default: // a look is already requested
		}
		return
	}
	ctx, end := context.WithCancel(context.Background())
	f.end = end
	go func() {
		for {
			if !seen {
				f.look(ctx)
			}
			seen = false
			wait := cmp.Or(f.daemon.options.FleetLook, lookEvery)
			if f.problem.Load() != nil {
				wait = min(wait, lookAgain)
			}
			select {
			case <-time.After(wait):
			case <-f.again:
			case <-ctx.Done():
				return
			}
		}
	}()
}

// AddHosts adds the hosts of fleet servers that have none yet: a gateway learns them only
// after it has reported once that it does not know them.
func (d *Daemon) AddHosts(ctx context.Context, servers []toolscript.ServerStatus) {
	var all sync.WaitGroup
	for i := range servers {
		if s := &servers[i]; upstream.KindOf(s.Type).Hub && s.State.Serves() && len(s.Hosts) == 0 {
			all.Go(func() { s.Hosts, _ = d.fleet.Hosts(ctx, s.Name) }) // without an answer, the hosts stay unknown
		}
	}
	all.Wait()
}

// names asks the hubs of the fleet for their servers. It checks the names, because other
// programs of the cluster could answer too.
func (f *fleet) names(ctx context.Context) ([]string, error) {
	entries, err := f.List(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if wire.ValidName(e.Server) && toolscript.CheckServerName(e.Server) == nil && e.Protocol == wire.Protocol {
			names = append(names, e.Server)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// look adds the servers that have appeared in the fleet, and removes those that have vanished.
func (f *fleet) look(ctx context.Context) {
	within, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	names, err := f.names(within)
	d := f.daemon
	d.reloading.Lock()
	defer d.reloading.Unlock()
	if ctx.Err() != nil {
		return // other settings are in force
	}
	if f.report(err); err != nil {
		return // the servers report the problem themselves
	}
	configured := d.Configured()
	f.shadow(configured, names)
	for _, name := range names {
		if _, own := configured[name]; own {
			if _, ours := f.offered[name]; ours {
				f.offered[name] = 0
			}
			continue
		}
		if err := d.OfferServer(ctx, name, f.inForce.Load().Server()); err != nil {
			d.options.Logger.Error("server of the fleet not added", slog.String("server", name), slog.String("error", err.Error()))
			continue
		}
		f.offered[name] = 0
		d.options.Logger.Info("the fleet offers another server", slog.String("server", name))
	}
	for _, name := range slices.Sorted(maps.Keys(f.offered)) {
		if slices.Contains(names, name) {
			continue
		}
		if f.offered[name]++; f.offered[name] < vanished {
			continue
		}
		delete(f.offered, name)
		if err := d.WithdrawServer(ctx, name); err != nil {
			d.options.Logger.Error("server of the fleet not removed", slog.String("server", name), slog.String("error", err.Error()))
			continue
		}
		d.options.Logger.Info("the fleet does not offer a server any more", slog.String("server", name))
	}
}

// report stores the result of a look, and logs a new problem.
func (f *fleet) report(err error) {
	if err == nil {
		f.problem.Store(nil)
		return
	}
	text := err.Error()
	if last := f.problem.Swap(&text); last == nil || *last != text {
		f.daemon.options.Logger.Warn("the servers of the fleet are not known", slog.String("error", text))
	}
}

// warnings returns the problem of the fleet for the status of the gateway.
func (f *fleet) warnings() []string {
	if problem := f.problem.Load(); problem != nil {
		return []string{"the servers of the fleet are not known: " + *problem}
	}
	return nil
}
