package remote

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
)

// retryTime is the delay before a fleet that could not be reached is tried again.
const retryTime = 10 * time.Second

// Fleet gives one gateway access to the runners of a fleet. It connects to the NATS cluster when a
// run needs a runner, and again after a connection was lost. It is safe for concurrent use.
type Fleet struct {
	user    func() string
	connect func(context.Context, ...nats.Option) (*nats.Conn, error)
	log     *slog.Logger

	mu     sync.Mutex
	used   *connection // nil: the next run connects
	failed error       // error of the last attempt to connect
	since  time.Time   // time of that attempt
}

// connection is a connection, with the number of runs that use it.
type connection struct {
	nc    *nats.Conn
	pool  *Pool
	runs  int
	stale bool // it must be closed after its last run
}

// NewFleet returns a Fleet that connects with connect. user returns the user of the gateway,
// a single token in subjects. NewFleet does not connect.
func NewFleet(user func() string, connect func(context.Context, ...nats.Option) (*nats.Conn, error), log *slog.Logger) *Fleet {
	return &Fleet{user: user, connect: connect, log: log}
}

// Take reserves a sandbox of a runner for one run, like Pool.Take. An error of kind
// Unavailable means that there is no runner or no fleet. A fleet that could not be reached is
// not tried again for ten seconds.
func (f *Fleet) Take(ctx context.Context) (*Sandbox, error) {
	c, err := f.use(ctx)
	if err != nil {
		return nil, err
	}
	s, err := c.pool.Take(ctx)
	if err != nil {
		f.done(c)
		return nil, err
	}
	s.closed = sync.OnceFunc(func() { f.done(c) })
	return s, nil
}

// use returns a connection, for one more run.
func (f *Fleet) use(ctx context.Context) (*connection, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.used != nil && f.used.nc.IsClosed() {
		f.used = nil
	}
	if f.used == nil {
		if f.failed != nil && time.Since(f.since) < retryTime {
			return nil, f.failed
		}
		c, err := f.open(ctx)
		if err != nil && ctx.Err() == nil {
			f.failed, f.since = err, time.Now()
		}
		if err != nil {
			return nil, err
		}
		f.used, f.failed = c, nil
	}
	f.used.runs++
	return f.used, nil
}

func (f *Fleet) open(ctx context.Context) (*connection, error) {
	user := f.user()
	if !validID(user) {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("%q cannot be the user of a fleet: it must be a word without dots, spaces, * and >", user)}
	}
	gateway := user + "." + newID()
	// Frames are lost with a connection, which ends their runs. So there is no reason to reconnect.
	nc, err := f.connect(ctx, nats.Name("toolscript gateway"), nats.CustomInboxPrefix("runs."+gateway+".inbox"), nats.NoReconnect())
	if err != nil {
		return nil, err
	}
	return &connection{nc: nc, pool: NewPool(nc, gateway, f.log)}, nil
}

// done ends the use of a connection by one run.
func (f *Fleet) done(c *connection) {
	f.mu.Lock()
	c.runs--
	over := c.stale && c.runs == 0
	f.mu.Unlock()
	if over {
		c.nc.Close()
	}
}

// Reset makes the next run connect again, after a change of the settings. Runs in progress
// keep their connection.
func (f *Fleet) Reset() {
	f.mu.Lock()
	c := f.used
	f.used, f.failed = nil, nil
	over := c != nil && c.runs == 0
	if c != nil {
		c.stale = true
	}
	f.mu.Unlock()
	if over {
		c.nc.Close()
	}
}
