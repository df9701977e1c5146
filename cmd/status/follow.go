package status

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/api"
)

const (
	pause   = time.Second // pause before another attempt to connect
	maxHeld = 1000        // events held for the receiver; further events wait in the connection
)

// Update is what has happened since the previous Update.
type Update struct {
	// Gateway is the client of the gateway. It is nil if there is no connection.
	Gateway *api.Client
	// Events are in order. The first events of a connection are a snapshot, or those missed
	// since the last connection to the same gateway.
	Events []toolscript.LiveEvent
	// Lost says why there is no connection. The next attempt follows within a second.
	Lost error
}

// Follow connects to the gateway that find returns, and connects again after each end of the
// connection, until ctx ends. Each value of the returned channel continues the previous
// one. The channel is closed when ctx has ended.
func Follow(ctx context.Context, find func(context.Context) (*api.Client, error)) <-chan Update {
	r := &reader{find: find, events: make(chan received), updates: make(chan Update)}
	go r.read(ctx)
	go r.pass(ctx)
	return r.updates
}

type reader struct {
	find    func(context.Context) (*api.Client, error)
	events  chan received // from read to pass
	updates chan Update
	last    string // id of the last event
}

// received is one event, or the end of a connection.
type received struct {
	from  *api.Client
	event toolscript.LiveEvent
	lost  error
}

// read connects repeatedly, and reads events until ctx ends.
func (r *reader) read(ctx context.Context) {
	defer close(r.events)
	for {
		err := r.connection(ctx)
		if !r.send(ctx, received{lost: err}) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// connection reads the events of one connection.
func (r *reader) connection(ctx context.Context) error {
	client, err := r.find(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	var stopping error
	err = client.Events(ctx, toolscript.LiveQuery{After: r.last}, func(e toolscript.LiveEvent) error {
		if e.ID != "" {
			r.last = e.ID
		}
		if e.Type == toolscript.LiveNotice {
			stopping = noticeOf(e)
			return nil
		}
		if !r.send(ctx, received{from: client, event: e}) {
			return ctx.Err()
		}
		return nil
	})
	if err == nil {
		err = stopping
	}
	return err
}

func (r *reader) send(ctx context.Context, one received) bool {
	select {
	case r.events <- one:
		return true
	case <-ctx.Done():
		return false
	}
}

// pass collects events while the receiver is busy.
func (r *reader) pass(ctx context.Context) {
	defer close(r.updates)
	var next Update
	for {
		in, out := r.events, r.updates
		if next.Gateway == nil && next.Lost == nil {
			out = nil
		}
		if next.Lost != nil || len(next.Events) >= maxHeld {
			in = nil
		}
		select {
		case one, ok := <-in:
			switch {
			case !ok:
				return
			case one.lost != nil && next.Gateway != nil: // the receiver gets the events first
				select {
				case r.updates <- next:
				case <-ctx.Done():
					return
				}
				next = Update{Lost: one.lost}
			case one.lost != nil:
				next = Update{Lost: one.lost}
			default:
				next.Gateway, next.Events = one.from, append(next.Events, one.event)
			}
		case out <- next:
			next = Update{}
		case <-ctx.Done():
			return
		}
	}
}

// noticeOf returns the final event of a stream as an error.
func noticeOf(e toolscript.LiveEvent) error {
	var n toolscript.Notice
	if err := json.Unmarshal(e.Data, &n); err != nil || n.Message == "" {
		n.Message = "the gateway has ended the connection"
	}
	return &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New(n.Message)}
}
