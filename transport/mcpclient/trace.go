package mcpclient

import "context"

type traceKey struct{}

// withTrace gives the requests of a context a traceparent.
func withTrace(ctx context.Context, traceparent string) context.Context {
	if traceparent == "" {
		return ctx
	}
	return context.WithValue(ctx, traceKey{}, traceparent)
}

func traceOf(ctx context.Context) string {
	traceparent, _ := ctx.Value(traceKey{}).(string)
	return traceparent
}
