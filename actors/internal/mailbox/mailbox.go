// Package mailbox spawns actors and sends them requests. hollywood provides only mailboxes, a
// registry and the order of stopping: it never sees a panic (Life does) and never restarts an
// actor (a Supervisor does). A request carries its own reply channel, because hollywood's
// Request leaks and can deliver an answer to the wrong request. A Schedule has the delays
// between the attempts after a failure.
//
// Durations, Outcomes, Calls and Hour are counters for concurrent use. They count without
// allocations and, except for Hour, without locks.
package mailbox

import (
	"context"
	"errors"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
)

// Reply carries the only answer to a request. It travels in the message.
type Reply[T any] chan answer[T]

type answer[T any] struct {
	value T
	err   error
}

// Send gives the answer. Only the first one counts. Send never blocks.
func (r Reply[T]) Send(value T, err error) {
	select {
	case r <- answer[T]{value, err}:
	default:
	}
}

func (r Reply[T]) fail(err error) {
	var none T
	r.Send(none, err)
}

// Address names an actor, with the channels that are closed when it can no longer answer.
type Address struct {
	Engine *actor.Engine
	PID    *actor.PID
	Gone   <-chan struct{} // closed when the gateway stops
	Ended  <-chan struct{} // closed when this actor ends; nil: never
}

// ErrStopped is the answer of a gateway that is shutting down.
var ErrStopped = &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New("the gateway is shutting down")}

// ErrEnded is the answer for an actor that ended before it gave one.
var ErrEnded = &toolscript.Error{
	Kind:       toolscript.Unavailable,
	Err:        errors.New("a fault of the gateway ended the request before its answer"),
	RetryAfter: time.Second,
}

// Ask sends the message that build returns for a new reply, and waits for the answer.
// ctx must have a deadline, because an actor may be stuck.
func Ask[T any](ctx context.Context, to Address, build func(Reply[T]) any) (T, error) {
	var none T
	if _, bounded := ctx.Deadline(); !bounded {
		return none, &toolscript.Error{Kind: toolscript.Internal, Err: errors.New("request without a deadline")}
	}
	reply := make(Reply[T], 1)
	Send(to.Engine, to.PID, build(reply))
	return reply.Receive(ctx, to)
}

// Receive waits for the answer of an actor that has a reply already.
func (r Reply[T]) Receive(ctx context.Context, to Address) (T, error) {
	var none T
	select {
	case a := <-r:
		return a.value, to.explain(a.err)
	case <-ctx.Done():
		return none, to.explain(ContextError(ctx))
	case <-to.Gone:
		value, err := r.orElse(ErrStopped)
		return value, to.explain(err)
	case <-to.Ended:
		value, err := r.orElse(ErrEnded)
		return value, to.explain(err)
	}
}

// explain returns the error for the caller. During the shutdown of the gateway, every error
// becomes ErrStopped, with the Sent of the original error.
func (to Address) explain(err error) error {
	select {
	case <-to.Gone:
		if err != nil {
			return toolscript.WithSent(ErrStopped, saidOf(err))
		}
	default:
	}
	return err
}

// saidOf returns the Sent of the first toolscript.Error in the chain of err; "" if there is none.
func saidOf(err error) toolscript.Sent {
	var e *toolscript.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Sent
}

// orElse returns the answer if it has arrived: answering may be the last action of an
// actor.
func (r Reply[T]) orElse(err error) (T, error) {
	select {
	case a := <-r:
		return a.value, a.err
	default:
		var none T
		return none, err
	}
}

// ContextError calls toolscript.ContextError.
func ContextError(ctx context.Context) error { return toolscript.ContextError(ctx) }

// Await waits for the answer to a message that send sends with a new reply, for callers
// without an Address. ctx must end at some time, because Await does not notice the end of
// the actor.
func Await[T any](ctx context.Context, send func(Reply[T])) (T, error) {
	reply := make(Reply[T], 1)
	send(reply)
	select {
	case a := <-reply:
		return a.value, a.err
	case <-ctx.Done():
		return reply.orElse(ContextError(ctx))
	}
}
