package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub/wire"
)

// drainWait bounds the wait for hubs to leave: for their calls in flight, and for the end of
// their servers.
const drainWait = 30 * time.Second

// Drain ends the hubs on a host: they take no more calls, answer those in flight, and give
// their leases to other hubs. It returns the hubs after they have left. The error has the
// kind NotFound if no hub has answered.
func Drain(ctx context.Context, at Address, host string) ([]wire.Taker, error) {
	nc, err := Connect(ctx, at)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	hubs, err := control(ctx, nc, wire.ControlDrain, wire.ControlRequest{Host: host})
	if err != nil {
		return nil, err
	}
	if len(hubs) == 0 {
		return nil, &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("no hub on the host %q has answered", host), Next: "see: toolscript status fleet"}
	}
	return hubs, left(ctx, nc, hubs)
}

// left waits until the hubs have left the fleet.
func left(ctx context.Context, nc *nats.Conn, hubs []wire.Taker) error {
	ctx, cancel := context.WithTimeoutCause(ctx, drainWait, &toolscript.Error{
		Kind: toolscript.Timeout, Err: fmt.Errorf("the hub has not left the fleet within %s", drainWait), Next: "see: toolscript status fleet",
	})
	defer cancel()
	for {
		entries, err := List(ctx, nc)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(entries, func(e Entry) bool {
			return slices.ContainsFunc(hubs, func(h wire.Taker) bool { return h.Hub == e.Hub })
		}) {
			return nil
		}
	}
}

// Released is the result of Release.
type Released struct {
	Host    string  // host of the owner, which hands the server over; "" if no hub owned it
	Cleared Cleared // the removed record, if no hub owned the server
}

// Release makes the owner of a server answer the calls in flight, and then hand the server over
// to another hub. If no hub reports that it is the owner, Release removes the record of the
// lease if no owner renews it.
func Release(ctx context.Context, at Address, server string) (Released, error) {
	nc, err := Connect(ctx, at)
	if err != nil {
		return Released{}, err
	}
	defer nc.Close()
	owners, err := control(ctx, nc, wire.ControlRelease, wire.ControlRequest{Server: server})
	if err != nil {
		return Released{}, err
	}
	if len(owners) > 0 {
		return Released{Host: owners[0].Host}, nil
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return Released{}, err
	}
	cleared, err := clearLease(ctx, js, server)
	if err != nil {
		return Released{}, &toolscript.Error{Kind: toolscript.Unavailable, Server: server, Err: err}
	}
	return Released{Cleared: cleared}, nil
}

// control sends a request of an operator, and returns the hubs that it concerns.
func control(ctx context.Context, nc *nats.Conn, verb string, r wire.ControlRequest) (all []wire.Taker, err error) {
	payload, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	err = ask(ctx, nc, wire.FleetControl(verb), payload, func(text []byte) {
		var hub wire.Taker
		if json.Unmarshal(text, &hub) == nil && wire.ValidID(hub.Hub) {
			all = append(all, hub)
		}
	})
	if why := nc.LastError(); err == nil && errors.Is(why, nats.ErrPermissionViolation) {
		return nil, &toolscript.Error{Kind: toolscript.Forbidden, Err: fmt.Errorf(
			`the credentials of "fleet" do not allow that: %w; use those of a hub, see: toolscript fleet permissions --role hub`, why)}
	}
	return all, err
}
