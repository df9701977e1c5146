package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
)

// ReadAnswer reads the body of a response of an HTTP API. Its bytes, decompressed, are
// taken from l before they are read. The error is a *toolscript.Error, or the error of ctx.
func ReadAnswer(ctx context.Context, l *budget.Lease, answer *http.Response, limit int) ([]byte, error) {
	decompress(answer, maxResult)
	if b, is := answer.Body.(body); is && b.window > 0 {
		if err := l.Take(ctx, b.window); err != nil {
			return nil, err
		}
		defer l.Drop(b.window)
	}
	size := answer.ContentLength
	if answer.Request != nil && answer.Request.Method == http.MethodHead {
		size = -1 // the length of what GET would return
	}
	text, err := budget.Read(ctx, l, answer.Body, size, limit)
	var broken *budget.ReadError
	var unknown *encodingError
	switch {
	case errors.Is(err, budget.ErrTooLong):
		return nil, &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf("the answer has more than %d MB", limit>>20)}
	case errors.As(err, &unknown):
		return nil, &toolscript.Error{Kind: toolscript.InvalidResult, Sent: toolscript.SentYes, Err: fmt.Errorf(
			"the answer, with status %s, cannot be read: %w; an \"Accept-Encoding\" in \"headers\" of the server asks for another, such as gzip", answer.Status, unknown)}
	case errors.As(err, &broken) && ctx.Err() == nil:
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Sent: toolscript.SentYes, Err: fmt.Errorf("the answer broke off: %w", broken)}
	}
	return text, err
}
