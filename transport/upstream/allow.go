package upstream

import (
	"context"

	"github.com/toolscript/toolscript"
)

type allowKey struct{}

// WithAllow returns a context for calls outside of runs. If a called tool runs a script,
// the script may call only the tools that allow selects.
func WithAllow(ctx context.Context, allow toolscript.Filter) context.Context {
	if allow == nil {
		return ctx
	}
	return context.WithValue(ctx, allowKey{}, allow)
}

// AllowOf returns the filter of WithAllow; nil selects everything.
func AllowOf(ctx context.Context) toolscript.Filter {
	allow, _ := ctx.Value(allowKey{}).(toolscript.Filter)
	return allow
}
