package upstream

import (
	"context"

	"github.com/toolscript/toolscript"
)

type watcherKey struct{}

// WatchProgress returns a context that passes the progress notifications of a call to
// watch. watch runs in the connection's reading goroutine and must not block.
func WatchProgress(ctx context.Context, watch func(toolscript.Progress)) context.Context {
	return context.WithValue(ctx, watcherKey{}, watch)
}

// WatcherOf returns the function of WatchProgress; nil if there is none.
func WatcherOf(ctx context.Context) func(toolscript.Progress) {
	watch, _ := ctx.Value(watcherKey{}).(func(toolscript.Progress))
	return watch
}
