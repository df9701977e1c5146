package api

import (
	"context"
	"errors"
	"math"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/toolscript/toolscript"
)

func statusOf(err error) int {
	status := toolscript.KindOf(err).Status()
	var e *toolscript.Error
	if errors.As(err, &e) && !e.MayRepeat() && repeated(status) {
		return statusNotRepeated
	}
	return status
}

// statusNotRepeated is the status for a call that the server may have carried out. Many
// programs repeat requests, even POST, after 408, 429 and most statuses from 500, which
// would make a second call; they do not repeat after this status.
const statusNotRepeated = http.StatusFailedDependency

// repeated reports whether programs repeat requests after a status.
func repeated(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= http.StatusInternalServerError
}

// errNoRoute is the answer both to an unknown path and to a request without the capability,
// so that the client cannot distinguish the two.
var errNoRoute = &toolscript.Error{
	Kind: toolscript.NotFound,
	Err:  errors.New("no such route, or the capability part of the gateway's URL is missing or old"),
	Next: seeStatus,
}

// refusals replace fiber's errors, because the texts of fasthttp quote the request, which
// contains the capability.
var refusals = map[int]*toolscript.Error{
	http.StatusNotFound:         errNoRoute,
	http.StatusMethodNotAllowed: {Kind: toolscript.Invalid, Err: errors.New("this route does not allow this method; see the Allow header")},
	http.StatusRequestTimeout:   {Kind: toolscript.Timeout, Err: errors.New("the request did not arrive in time")},
	http.StatusRequestEntityTooLarge: {
		Kind: toolscript.TooLarge,
		Err:  errors.New("the body is larger than 32 MB"),
	},
	http.StatusRequestHeaderFieldsTooLarge: {
		Kind: toolscript.TooLarge,
		Err:  errors.New("the URL and the headers are larger than 64 KB together"),
	},
}

var errMalformed = &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("not a valid HTTP request")}

// classify returns the status and the kind of an error.
func classify(ctx context.Context, err error) (int, error) {
	var own *fiber.Error
	if errors.As(err, &own) {
		if refusal, ok := refusals[own.Code]; ok {
			return own.Code, refusal
		}
		return http.StatusBadRequest, errMalformed
	}
	err = withCause(ctx, err)
	return statusOf(err), err
}

// withCause gives errors of contexts a kind.
func withCause(ctx context.Context, err error) error {
	var classed *toolscript.Error
	if errors.As(err, &classed) {
		return err
	}
	switch {
	case ctx != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return toolscript.ContextError(ctx)
	case errors.Is(err, context.DeadlineExceeded): // of a context that the Backend made
		return &toolscript.Error{Kind: toolscript.Timeout, Err: errors.New("no answer in time")}
	default:
		return err
	}
}

// retrySeconds returns d for a Retry-After header: whole seconds, at least 1.
func retrySeconds(d time.Duration) int {
	return max(1, int(math.Ceil(d.Seconds())))
}
