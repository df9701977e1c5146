package inprocess

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/inflight"
)

// answer encodes the result of a tool as that of an MCP tool. The end of ctx is not a
// result.
func (c *Conn) answer(ctx context.Context, lease *inflight.Lease, value any, failed error, about toolscript.Error) (json.RawMessage, error) {
	if cause := context.Cause(ctx); cause != nil && failed != nil {
		return nil, ended(cause, about)
	}
	var known *toolscript.Error
	if !errors.As(failed, &known) {
		result, err := encode(ctx, lease, value, failed)
		if err == nil {
			return result, nil
		}
		if cause := context.Cause(ctx); cause != nil {
			return nil, ended(cause, about)
		}
		if !errors.As(err, &known) {
			known = &toolscript.Error{Kind: toolscript.Internal, Err: err}
		}
	}
	about.Kind, about.Err, about.RetryAfter, about.Sent = known.Kind, known.Err, known.RetryAfter, sentOf(known)
	return nil, &about
}

// sentOf is what the error of a function says about its call. The function has answered, even
// if its answer cannot be passed on.
func sentOf(err *toolscript.Error) toolscript.Sent {
	switch sent := toolscript.SentOf(err); {
	case err.Sent != "":
		return sent
	case err.Kind == toolscript.Internal, err.Kind == toolscript.TooLarge, err.Kind == toolscript.Busy:
		return toolscript.SentYes
	default:
		return sent
	}
}

// ended is the error of a call whose context has ended.
func ended(cause error, about toolscript.Error) error {
	var known *toolscript.Error
	if errors.As(cause, &known) {
		return known
	}
	about.Kind, about.Err = toolscript.Cancelled, cause
	if errors.Is(cause, context.DeadlineExceeded) {
		about.Kind = toolscript.Timeout
	}
	return &about
}

// Refusal is the error of a tool whose API answered with an HTTP status that is not a success.
type Refusal struct {
	Status int
	Err    error
}

// Error returns the error of the API.
func (r *Refusal) Error() string { return r.Err.Error() }

// Unwrap returns the error of the API.
func (r *Refusal) Unwrap() error { return r.Err }

// Page is the value of a tool that returned one page of its result.
type Page struct {
	Value any
	Place toolscript.PagePlace
}
