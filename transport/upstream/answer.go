package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/egress"
)

// answer encodes the result of a tool in MCP's form. An error after the end of ctx is not
// a result.
func (c *Conn) answer(ctx context.Context, lease *budget.Lease, value any, failed error, about toolscript.Error) (json.RawMessage, error) {
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
	about.Kind, about.Err, about.Next, about.RetryAfter, about.Sent = known.Kind, known.Err, known.Next, known.RetryAfter, sentOf(known)
	return nil, &about
}

// sentOf returns whether the call was carried out, according to the error of its function. The
// function has answered, even if its answer cannot be passed on.
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

// ended returns the error of a call whose context has ended.
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

// Refusal is the error of a tool whose API answered with an error.
type Refusal struct {
	Status     int            // HTTP status; 0 if it says nothing about the error
	Structured map[string]any // data of the error in addition to its text
	Err        error
}

// Error returns the error of the API.
func (r *Refusal) Error() string { return r.Err.Error() }

// Told returns the HTTP status and the data of the error in addition to its text.
func (r *Refusal) Told() (status int, structured map[string]any) { return r.Status, r.Structured }

// Unwrap returns the error of the API.
func (r *Refusal) Unwrap() error { return r.Err }

// Unreadable returns the error of a server whose API did not send its description, such as a schema. A
// status of 0 says nothing; a success means that a page was sent. The server will be tried again.
func Unreadable(status int, err error) *toolscript.Error {
	e := &toolscript.Error{Kind: toolscript.Unavailable, Err: err}
	switch {
	case status == http.StatusUnauthorized, status >= 200 && status <= 299:
		e.Kind = toolscript.Unauthorized
	case status == http.StatusForbidden:
		e.Kind = toolscript.Forbidden
	}
	return e
}

// Limits for retries after an answer that asks for one.
const (
	Retries = 2           // maximum number of retries
	pause   = time.Second // before a retry, if the answer names no time
)

// RetryAfter returns how long an answer asks to wait, and whether it asks for a retry.
func RetryAfter(answer *http.Response, now time.Time) (wait time.Duration, again bool) {
	if answer.StatusCode != http.StatusTooManyRequests && answer.StatusCode != http.StatusServiceUnavailable {
		return 0, false
	}
	return Pause(answer, now), true
}

// Pause returns the time in the header Retry-After of an answer; one second without the header.
func Pause(answer *http.Response, now time.Time) time.Duration {
	if wait, named := egress.RetryAfter(answer.Header, now); named {
		return wait
	}
	return pause
}

// Refused returns whether a request was carried out whose answer asks for a retry. A proxy can send
// 503 after it has forwarded the request.
func Refused(status int) toolscript.Sent {
	if status == http.StatusTooManyRequests {
		return toolscript.SentNo
	}
	return toolscript.SentUnknown
}

// WithContent is a value with MCP content blocks that contain more than the value.
type WithContent struct {
	Value   any
	Content []any
}

// Page is the value of a tool that returned one page of its result.
type Page struct {
	Value any
	Place toolscript.PagePlace
}
