package upstream

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/toolscript/toolscript"
)

// Do sends a request to an HTTP API; what is the name of the API in errors. The error is the error
// of the request's context, or a *toolscript.Error that says whether the request was sent. It does
// not contain the URL, whose query may contain a secret. The body of the answer is decompressed.
func Do(client *http.Client, request *http.Request, what string) (*http.Response, error) {
	var sent atomic.Bool
	ctx := request.Context()
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	answer, err := client.Do(request.WithContext(traced)) //nolint:gosec // G704: the configuration names the API
	if err == nil {
		decompress(answer, maxResult)
		return answer, nil
	}
	if answer != nil {
		_ = answer.Body.Close() // the answer is a redirect that was refused
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	state, end := toolscript.SentNo, ""
	if sent.Load() {
		state, end = toolscript.SentUnknown, "; "+toolscript.UnknownOutcome
	}
	var known *toolscript.Error
	if errors.As(err, &known) {
		if known.Kind == toolscript.Unauthorized { // the API has refused it, or it was not sent
			state = toolscript.SentNo
		}
		return nil, toolscript.WithSent(known, state)
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return nil, &toolscript.Error{Kind: toolscript.Unavailable, Sent: state, Err: fmt.Errorf("%s cannot be reached: %w%s", what, err, end)}
}
