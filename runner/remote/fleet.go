package remote

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

const (
	retryTime = 10 * time.Second       // delay before a fleet that could not be reached is tried again
	takeTime  = 3 * time.Second        // limit for the answer to a take
	firstWait = 20 * time.Millisecond  // delay before the second take, if a runner is busy
	lastWait  = 500 * time.Millisecond // longest delay between two takes
)

// Fleet gives one gateway access to the runners of a fleet. It connects to the NATS cluster when a
// run needs a runner, and again after a connection was lost. It is safe for concurrent use.
type Fleet struct {
	user    func() string
	connect func(context.Context, ...nats.Option) (*nats.Conn, error)
	log     *slog.Logger

	dialing chan struct{} // has a value while a run looks for a connection

	mu     sync.Mutex
	resets int         // number of calls of Reset
	used   *connection // nil: the next run connects
	failed error       // error of the last attempt to connect
	since  time.Time   // time of that attempt
}

// connection is a connection, with the number of runs that use it.
type connection struct {
	nc      *nats.Conn
	gateway string // id of the gateway: its user, a dot and a token that no other gateway has
	runs    int
	stale   bool // it must be closed after its last run
}

// NewFleet returns a Fleet that connects with connect. user returns the user of the gateway,
// a single token in subjects. NewFleet does not connect.
func NewFleet(user func() string, connect func(context.Context, ...nats.Option) (*nats.Conn, error), log *slog.Logger) *Fleet {
	return &Fleet{user: user, connect: connect, log: log, dialing: make(chan struct{}, 1)}
}

// Take reserves a sandbox of a runner for one run. While runners are busy, it tries again until ctx ends. The caller
// must call Close. An error of kind Unavailable means that there is no runner or no fleet. A fleet that could not be
// reached is not tried again for ten seconds.
func (f *Fleet) Take(ctx context.Context) (*Sandbox, error) {
	c, err := f.use(ctx)
	if err != nil {
		return nil, err
	}
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		s, busy, err := c.take(ctx)
		if err == nil && !busy {
			s.log, s.closed = f.log, sync.OnceFunc(func() { f.done(c) })
			return s, nil
		}
		if err == nil {
			select {
			case <-time.After(wait):
				continue
			case <-ctx.Done():
				err = toolscript.ContextError(ctx)
			}
		}
		f.done(c)
		return nil, err
	}
}

// take sends one request. busy reports that the runner that answered has no free sandbox.
func (c *connection) take(ctx context.Context) (s *Sandbox, busy bool, err error) {
	run := rand.Text()
	link, err := open(c.nc, upSubject(c.gateway, run), downSubject(c.gateway, run))
	if err != nil {
		return nil, false, unavailable(fmt.Errorf("no connection to the fleet: %w", err))
	}
	taken, err := c.ask(ctx, take{Protocol: protocol, Gateway: c.gateway, Run: run})
	if err != nil || taken.Busy {
		link.close() // tells a runner whose answer came too late
		return nil, taken.Busy, err
	}
	go link.watch()
	return &Sandbox{link: link, host: taken.Host}, false, nil
}

func (c *connection) ask(ctx context.Context, t take) (a taken, err error) {
	text, _ := json.Marshal(t) // such a struct always has a JSON form
	asking, cancel := context.WithTimeout(ctx, takeTime)
	defer cancel()
	m, err := c.nc.RequestWithContext(asking, takeSubject, text)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return a, unavailable(errors.New("no machine of the fleet runs scripts; run there: toolscript hub --serve FILE --runners N; or remove limits.pool from the configuration"))
	case err != nil && ctx.Err() != nil:
		return a, toolscript.ContextError(ctx)
	case err != nil && errors.Is(c.nc.LastError(), nats.ErrPermissionViolation):
		return a, &toolscript.Error{Kind: toolscript.Forbidden, Err: fmt.Errorf(
			"the credentials do not allow to use runners of the fleet: %w; see: toolscript fleet permissions --role gateway", c.nc.LastError())}
	case err != nil:
		return a, unavailable(fmt.Errorf("no runner of the fleet has answered: %w", err))
	}
	if err := json.Unmarshal(m.Data, &a); err != nil {
		return a, unavailable(fmt.Errorf("the answer of a runner cannot be read: %w", err))
	}
	if a.Error != "" {
		return a, unavailable(fmt.Errorf("the runner on %s refuses the run: %s", a.Host, a.Error))
	}
	return a, nil
}

// use returns a connection, for one more run. One run at a time connects.
func (f *Fleet) use(ctx context.Context) (*connection, error) {
	select {
	case f.dialing <- struct{}{}:
	case <-ctx.Done():
		return nil, toolscript.ContextError(ctx)
	}
	defer func() { <-f.dialing }()
	for {
		c, resets, err := f.current()
		if c != nil || err != nil {
			return c, err
		}
		c, err = f.open(ctx)
		f.mu.Lock()
		switch {
		case f.resets != resets: // the settings have changed meanwhile
			if err == nil {
				c.nc.Close()
			}
			if c, err = nil, nil; ctx.Err() != nil {
				err = toolscript.ContextError(ctx)
			}
		case err == nil:
			c.runs++
			f.used, f.failed = c, nil
		case ctx.Err() == nil:
			f.failed, f.since = err, time.Now()
		}
		f.mu.Unlock()
		if c != nil || err != nil {
			return c, err
		}
	}
}

// current returns the connection for one more run, or the error of the last attempt to connect if it is recent. Without
// both, the caller must connect.
func (f *Fleet) current() (c *connection, resets int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.used != nil && f.used.nc.IsClosed() {
		f.used = nil
	}
	switch {
	case f.used != nil:
		f.used.runs++
	case f.failed != nil && time.Since(f.since) < retryTime:
		err = f.failed
	}
	return f.used, f.resets, err
}

func (f *Fleet) open(ctx context.Context) (*connection, error) {
	user := f.user()
	if !validID(user) {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("%q cannot be the user of a fleet: it must be a word without dots, spaces, * and >", user)}
	}
	gateway := user + "." + rand.Text()
	// Frames are lost with a connection, which ends their runs. So there is no reason to reconnect.
	nc, err := f.connect(ctx, nats.Name("toolscript gateway"), nats.CustomInboxPrefix("runs."+gateway+".inbox"), nats.NoReconnect())
	if err != nil {
		return nil, err
	}
	return &connection{nc: nc, gateway: gateway}, nil
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
	f.resets++
	over := c != nil && c.runs == 0
	if c != nil {
		c.stale = true
	}
	f.mu.Unlock()
	if over {
		c.nc.Close()
	}
}

func unavailable(err error) error {
	return &toolscript.Error{Kind: toolscript.Unavailable, Err: err}
}

// Sandbox is a reserved sandbox of a runner, for one run.
type Sandbox struct {
	link   *stream
	host   string
	log    *slog.Logger
	closed func() // called by Close
}

var _ runner.Runner = (*Sandbox)(nil)

// Host returns the name of the runner's machine.
func (s *Sandbox) Host() string { return s.host }

// Close releases the sandbox.
func (s *Sandbox) Close() {
	s.link.close()
	s.closed()
}
