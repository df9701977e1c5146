package hub

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub/cluster"
)

// hosts are the hosts whose hubs offer a server.
type hosts struct {
	mu     sync.Mutex
	known  []string
	asking bool
}

// Hosts returns the hosts whose hubs offered the server when the gateway last asked, sorted.
// It asks at the begin of the connection, after changes and with each Ping.
func (c *FleetConn) Hosts() []string {
	c.hosts.mu.Lock()
	defer c.hosts.mu.Unlock()
	return c.hosts.known
}

// findHosts asks the hubs. It does not wait for the answers.
func (c *FleetConn) findHosts() {
	c.hosts.mu.Lock()
	defer c.hosts.mu.Unlock()
	if c.hosts.asking {
		return
	}
	c.hosts.asking = true
	go func() {
		found, err := cluster.Hosts(context.Background(), c.link.nc, c.name)
		c.hosts.mu.Lock()
		defer c.hosts.mu.Unlock()
		if c.hosts.asking = false; err == nil { // without the connection, nothing is known to have changed
			c.hosts.known = found
		}
	}()
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
