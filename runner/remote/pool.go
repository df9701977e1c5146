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

// Pool is the runners that one connection reaches, for one gateway. It is safe for concurrent
// use.
type Pool struct {
	nc      *nats.Conn
	gateway string
	log     *slog.Logger
}

// NewPool returns the runners that nc reaches. gateway is the name of the
// user and a token that no other gateway has, with a dot between them.
func NewPool(nc *nats.Conn, gateway string, log *slog.Logger) *Pool {
	return &Pool{nc: nc, gateway: gateway, log: log}
}

const (
	takeTime  = 3 * time.Second        // for the answer to a take
	firstWait = 20 * time.Millisecond  // before the second take, if a runner is busy
	lastWait  = 500 * time.Millisecond // between two takes
)

// Take reserves a sandbox of a runner for one run. While all runners are busy it tries again,
// until ctx ends. The caller calls Close.
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

// take asks one runner.
func (p *Pool) take(ctx context.Context) (s *Sandbox, busy bool, err error) {
	run := newID()
	link, err := open(p.nc, upSubject(p.gateway, run), downSubject(p.gateway, run))
	if err != nil {
		return nil, false, unavailable(fmt.Errorf("no connection to the fleet: %w", err))
	}
	taken, err := p.ask(ctx, take{Protocol: protocol, Gateway: p.gateway, Run: run})
	if err != nil || taken.Busy {
		link.close() // also for a runner whose answer was late
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

// Sandbox is a sandbox of a runner, for one run.
type Sandbox struct {
	link   *stream
	host   string
	log    *slog.Logger
	closed func() // nil: nothing is called
}

var _ runner.Runner = (*Sandbox)(nil)

// Host is the name of the machine of the runner.
func (s *Sandbox) Host() string { return s.host }

// Close returns the sandbox.
func (s *Sandbox) Close() {
	s.link.close()
	if s.closed != nil {
		s.closed()
	}
}
