package fleet

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/remote"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/host"
)

// parts are the connections of a hub to the cluster: one for its servers, one for its
// sandboxes. The zero value has none.
type parts struct {
	servers *host.Fleet    // nil: there are none
	runners *remote.Server // nil: there are none
	lost    <-chan struct{}
}

// join connects to the cluster and offers what the hub has.
func (h *hub) join(ctx context.Context, s Settings) (p parts, err error) {
	lost := make(chan struct{})
	p.lost = lost
	once := sync.OnceFunc(func() { close(lost) })
	if len(s.Servers) > 0 {
		p.servers, err = host.Join(ctx, host.FleetOptions{
			Address: s.Address, Host: h.name, Version: toolscript.Version, Servers: h.system, Offers: s.offers(), Answers: h.answers, Logger: h.Logger,
		})
		if err != nil {
			return parts{}, err
		}
		go follow(p.servers.Lost(), once)
	}
	if h.Runners > 0 {
		p.runners, err = remote.Join(ctx, cluster.Dialer(func() cluster.Address { return s.Address }), remote.Options{
			Runners: h.Runners, Host: h.name, Version: toolscript.Version, Log: h.Logger,
			Lend: func(ctx context.Context) (runner.Runner, func(bool), error) { return h.system.LendSandbox(ctx) },
		})
		if err != nil {
			return parts{}, errors.Join(err, p.close())
		}
		go follow(p.runners.Lost(), once)
	}
	return p, nil
}

// follow calls f when a connection has ended, which it does at the latest when it is closed.
func follow(lost <-chan struct{}, f func()) {
	<-lost
	f()
}

// close withdraws what was offered and ends the connections. The servers go on.
func (p parts) close() (err error) {
	if p.servers != nil {
		err = p.servers.Close()
	}
	if p.runners != nil {
		err = errors.Join(err, p.runners.Close())
	}
	return err
}

// names are the names of the servers.
func (s Settings) names() []string { return slices.Sorted(maps.Keys(s.Servers)) }

func (s Settings) offers() (all []host.Offer) {
	for _, name := range s.names() {
		all = append(all, host.Offer{Name: name, Config: s.Servers[name], Stateless: s.Servers[name].Stateless})
	}
	return all
}

func (s Settings) equal(o Settings) bool { return reflect.DeepEqual(s, o) }
