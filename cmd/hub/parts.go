package hub

import (
	"context"
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
// sandboxes. The zero value has no connections.
type parts struct {
	servers *host.Fleet    // nil: not connected
	runners *remote.Server // nil: not connected
}

// join connects to the cluster and offers what the hub has. It keeps connections in p that
// exist already, and adds the missing ones.
func (h *fleetHub) join(ctx context.Context, s FleetSettings, p *parts) (err error) {
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
			parts{servers: servers}.close()
			return err
		}
	}
	if servers != nil {
		p.servers = servers
	}
	return nil
}

// serversLost returns a channel that is closed when the connection of the servers ends.
func (p parts) serversLost() <-chan struct{} {
	if p.servers == nil {
		return nil
	}
	return p.servers.Lost()
}

// drained returns a channel that is closed when an operator has asked the hub to end.
func (p parts) drained() <-chan struct{} {
	if p.servers == nil {
		return nil
	}
	return p.servers.Drained()
}

// runnersLost returns a channel that is closed when the connection of the sandboxes ends.
func (p parts) runnersLost() <-chan struct{} {
	if p.runners == nil {
		return nil
	}
	return p.runners.Lost()
}

// closeLost closes the connections that were lost, and keeps the others.
func (p *parts) closeLost() {
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
	lost.close()
}

// close withdraws what was offered and closes the connections. The servers continue to run.
func (p parts) close() {
	if p.servers != nil {
		p.servers.Close()
	}
	if p.runners != nil {
		p.runners.Close()
	}
}

// names returns the sorted names of the servers.
func (s FleetSettings) names() []string { return slices.Sorted(maps.Keys(s.Servers)) }

func (s FleetSettings) offers() (all []host.Offer) {
	for _, name := range s.names() {
		all = append(all, host.Offer{Name: name, Config: s.Servers[name], Stateless: s.Servers[name].Stateless})
	}
	return all
}

// mistake returns why a changed server of the settings must not be started, or nil. A server
// that has not changed since old is ignored, because a mistake must not end a running server.
func (s FleetSettings) mistake(old FleetSettings) error {
	for _, name := range s.names() {
		if now := s.Servers[name]; now.Problem != nil && !reflect.DeepEqual(now, old.Servers[name]) {
			return now.Problem
		}
	}
	return nil
}

func (s FleetSettings) equal(o FleetSettings) bool { return reflect.DeepEqual(s, o) }
