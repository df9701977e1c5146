package hub

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub/cluster"
)

// hostsAge is how old the hosts of a server may be before Hosts asks again. Nothing else asks, because in a large
// fleet, periodic questions would be most of the traffic.
const hostsAge = 5 * time.Second

// Hosts returns the hosts whose hubs offered the server when the gateway last asked, sorted.
// If that is some seconds ago, it asks again and does not wait for the answers.
func (c *FleetConn) Hosts() []string {
	c.hosts.mu.Lock()
	defer c.hosts.mu.Unlock()
	c.hosts.refresh()
	return c.hosts.known
}

// Hosts asks the hubs that offer a server for their hosts, as cluster.Hosts does.
func (f *Fleet) Hosts(ctx context.Context, server string) ([]string, error) {
	l, err := f.connect(ctx)
	if err != nil {
		return nil, err
	}
	return cluster.Hosts(ctx, l.nc, server)
}

// List asks all hubs of the fleet for their servers, as cluster.List does. The error has the
// kind Forbidden if the credentials do not allow that.
func (f *Fleet) List(ctx context.Context) ([]cluster.Entry, error) {
	l, err := f.connect(ctx)
	if err != nil {
		return nil, err
	}
	all, err := cluster.List(ctx, l.nc)
	if why := l.nc.LastError(); err == nil && len(all) == 0 && errors.Is(why, nats.ErrPermissionViolation) {
		return nil, &toolscript.Error{Kind: toolscript.Forbidden, Err: fmt.Errorf(
			`the credentials do not allow to list the servers of the fleet: %w; name the servers in "use" of "fleet"`, why)}
	}
	return all, err
}
