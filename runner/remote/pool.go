package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// Pool gives one gateway access to the runners that a connection reaches. It is safe for
// concurrent use.
type Pool struct {
	nc      *nats.Conn
	gateway string
	log     *slog.Logger
}

// NewPool returns a Pool that uses nc. gateway is the id of the gateway: the user, a dot and
// a token that no other gateway has.
func NewPool(nc *nats.Conn, gateway string, log *slog.Logger) *Pool {
	return &Pool{nc: nc, gateway: gateway, log: log}
}

const (
	takeTime  = 3 * time.Second        // limit for the answer to a take
	firstWait = 20 * time.Millisecond  // delay before the second take, if a runner is busy
	lastWait  = 500 * time.Millisecond // longest delay between two takes
)

// Take reserves a sandbox of a runner for one run. While runners are busy, it tries again
// until ctx ends. The caller must call Close.
func (p *Pool) Take(ctx context.Context) (*Sandbox, error) {
	wait := firstWait
	for {
		s, busy, err := p.take(ctx)
		if err != nil || !busy {
			return s, err
		}
		select {
		case <-time.After(wait):
			wait = min(2*wait, lastWait)
		case <-ctx.Done():
			return nil, toolscript.ContextError(ctx)
		}
	}
}

// take sends one request. busy reports that the runner that answered has no free sandbox.
func (p *Pool) take(ctx context.Context) (s *Sandbox, busy bool, err error) {
	run := newID()
	link, err := open(p.nc, upSubject(p.gateway, run), downSubject(p.gateway, run))
	if err != nil {
		return nil, false, unavailable(fmt.Errorf("no connection to the fleet: %w", err))
	}
	taken, err := p.ask(ctx, take{Protocol: protocol, Gateway: p.gateway, Run: run})
	if err != nil || taken.Busy {
		link.close() // tells a runner whose answer came too late
		return nil, taken.Busy, err
	}
	go link.watch()
	return &Sandbox{link: link, host: taken.Host, log: p.log}, false, nil
}

func (p *Pool) ask(ctx context.Context, t take) (a taken, err error) {
	text, _ := json.Marshal(t) // such a struct always has a JSON form
	asking, cancel := context.WithTimeout(ctx, takeTime)
	defer cancel()
	m, err := p.nc.RequestWithContext(asking, TakeSubject, text)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return a, unavailable(errors.New("no machine of the fleet runs scripts; run there: toolscript hub --serve FILE --runners N; or remove limits.pool from the configuration"))
	case err != nil && ctx.Err() != nil:
		return a, toolscript.ContextError(ctx)
	case err != nil && errors.Is(p.nc.LastError(), nats.ErrPermissionViolation):
		return a, &toolscript.Error{Kind: toolscript.Forbidden, Err: fmt.Errorf(
			"the credentials do not allow to use runners of the fleet: %w; see: toolscript fleet permissions --role gateway", p.nc.LastError())}
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

func unavailable(err error) error {
	return &toolscript.Error{Kind: toolscript.Unavailable, Err: err}
}

// Sandbox is a reserved sandbox of a runner, for one run.
type Sandbox struct {
	link   *stream
	host   string
	log    *slog.Logger
	closed func() // called by Close; may be nil
}

var _ runner.Runner = (*Sandbox)(nil)

// Host returns the name of the runner's machine.
func (s *Sandbox) Host() string { return s.host }

// Close releases the sandbox.
func (s *Sandbox) Close() {
	s.link.close()
	if s.closed != nil {
		s.closed()
	}
}
