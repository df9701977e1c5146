package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub"
)

// handshakeTime bounds the wait for the first line of a hub.
const handshakeTime = 5 * time.Second

// Finder finds the hub of a place, and starts one if there is none.
type Finder struct {
	Place  Place
	Launch func(ctx context.Context) error // starts a hub, and returns when it is ready
}

// Find returns a hub that this version can use. If several gateways find no hub, one of
// them starts it. A hub with another protocol is replaced if no gateway uses it.
func (f Finder) Find(ctx context.Context) (hub.Endpoint, error) {
	r, err := f.Place.Running(ctx)
	if err == nil && r != nil && r.fits() {
		return r.endpoint, nil
	}
	if err != nil {
		return hub.Endpoint{}, err
	}
	held, err := f.Place.lock(ctx, startLock)
	if err != nil {
		return hub.Endpoint{}, cannotStart(err)
	}
	defer held.release()
	if r, err = f.Place.Running(ctx); err != nil {
		return hub.Endpoint{}, err
	}
	if r != nil && !r.fits() {
		if err := f.replace(ctx, r); err != nil {
			return hub.Endpoint{}, err
		}
		r = nil
	}
	if r == nil {
		failed := f.Launch(ctx)
		// A hub may run in spite of an error: one that a user has started at the same time.
		if r, err = f.Place.Running(ctx); err != nil {
			return hub.Endpoint{}, err
		}
		if r == nil {
			return hub.Endpoint{}, cannotStart(cmp.Or(failed, errors.New("it is not ready yet")))
		}
	}
	if !r.fits() {
		return hub.Endpoint{}, r.different()
	}
	return r.endpoint, nil
}

// replace ends a hub that has another protocol, if it has no gateways.
func (f Finder) replace(ctx context.Context, r *Running) error {
	if r.Info.Users > 0 {
		return r.different()
	}
	return f.Place.Stop(ctx, r.Entry)
}

func cannotStart(err error) error {
	return &toolscript.Error{
		Kind: toolscript.Unavailable,
		Err:  fmt.Errorf("the hub for shared servers has not started: %w", err),
	}
}

// Running is a hub that has answered.
type Running struct {
	Entry
	Info     hub.Info
	endpoint hub.Endpoint
}

// Running returns the hub of the place, or nil if no hub is running. The error has the kind
// Unavailable if its process runs but does not answer.
func (p Place) Running(ctx context.Context) (*Running, error) {
	e, ok, err := p.Read()
	if err != nil || !ok {
		return nil, err
	}
	r := &Running{Entry: e, endpoint: e.endpoint()}
	probe, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()
	if r.Info, err = hub.Probe(probe, r.endpoint); err == nil {
		return r, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if now, still, readErr := p.Read(); readErr != nil || !still || now.Process != e.Process {
		return nil, readErr // it has ended meanwhile
	}
	return nil, &toolscript.Error{
		Kind: toolscript.Unavailable,
		Err:  fmt.Errorf("the hub (process %d) does not answer: %w; to end it at once: kill -9 %[1]d", e.PID, err),
	}
}

func (r *Running) fits() bool { return r.Info.Protocol == hub.Protocol }

// Query asks the hub for its state. It fails for a hub with another protocol.
func (r *Running) Query(ctx context.Context) (hub.Status, error) {
	if !r.fits() {
		return hub.Status{}, r.different()
	}
	return hub.Query(ctx, r.endpoint)
}

// different returns the error for a hub with another protocol that has gateways.
func (r *Running) different() error {
	return &toolscript.Error{
		Kind: toolscript.Unavailable,
		Err: fmt.Errorf("the hub (process %d) is toolscript %s with protocol %d, this is %s with protocol %d, and gateways use the hub: %d; "+
			"it is replaced when they have ended, or run: toolscript hub stop",
			r.PID, r.Info.Version, r.Info.Protocol, toolscript.Version, hub.Protocol, r.Info.Users),
	}
}

// stopTime bounds the wait for a hub to end. The hub answers its calls within
// host.DrainTime, and ends its servers within 5 s.
const stopTime = 30 * time.Second

// Stop asks a hub to end, and waits until it and its servers have ended.
func (p Place) Stop(ctx context.Context, e Entry) error {
	if err := e.Stop(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, stopTime, &toolscript.Error{
		Kind: toolscript.Timeout,
		Err:  fmt.Errorf("the hub has not ended within %s; to end it at once: kill -9 %d", stopTime, e.PID),
	})
	defer cancel()
	ticks := time.NewTicker(lockPoll)
	defer ticks.Stop()
	for {
		if gone, _ := e.Gone(); gone {
			return nil
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
