package fleet

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"

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
}

// join connects to the cluster and offers what the hub has. It goes on with the parts that
// are joined already, and adds the others.
func (h *hub) join(ctx context.Context, s Settings, p *parts) (err error) {
	var servers *host.Fleet
	if len(s.Servers) > 0 && p.servers == nil {
		servers, err = host.Join(ctx, host.FleetOptions{
			Address: s.Address, Host: h.name, Version: toolscript.Version, Servers: h.system, Offers: s.offers(), Answers: h.answers, Logger: h.Logger,
		})
		if err != nil {
			return err
		}
	}
	if h.Runners > 0 && p.runners == nil {
		p.runners, err = remote.Join(ctx, cluster.Dialer(func() cluster.Address { return s.Address }), remote.Options{
			Runners: h.Runners, Host: h.name, Version: toolscript.Version, Log: h.Logger,
			Lend: func(ctx context.Context) (runner.Runner, func(bool), error) { return h.system.LendSandbox(ctx) },
		})
		if err != nil {
			return errors.Join(err, parts{servers: servers}.close())
		}
	}
	if servers != nil {
		p.servers = servers
	}
	return nil
}

// serversLost reports the end of the connection of the servers.
func (p parts) serversLost() <-chan struct{} {
	if p.servers == nil {
		return nil
	}
	return p.servers.Lost()
}

// drained reports that an operator has asked the hub to end.
func (p parts) drained() <-chan struct{} {
	if p.servers == nil {
		return nil
	}
	return p.servers.Drained()
}

// runnersLost reports the end of the connection of the sandboxes.
func (p parts) runnersLost() <-chan struct{} {
	if p.runners == nil {
		return nil
	}
	return p.runners.Lost()
}

// closeLost closes the parts whose connection has ended. The others go on.
func (p *parts) closeLost() error {
	var lost parts
	select {
	case <-p.serversLost():
		lost.servers, p.servers = p.servers, nil
	default:
	}
	select {
	case <-p.runnersLost():
		lost.runners, p.runners = p.runners, nil
	default:
	}
	return lost.close()
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

// mistake is why a server of the settings must not be started, unless that is so in the old ones
// too: a mistake must not end a server that runs.
func (s Settings) mistake(old Settings) error {
	for _, name := range s.names() {
		if now := s.Servers[name]; now.Problem != nil && !reflect.DeepEqual(now, old.Servers[name]) {
			return now.Problem
		}
	}
	return nil
}

func (s Settings) equal(o Settings) bool { return reflect.DeepEqual(s, o) }
