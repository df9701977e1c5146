package mcpclient

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

func watcherOf(ctx context.Context) *func(toolscript.Progress) {
	if watch, ok := ctx.Value(watcherKey{}).(func(toolscript.Progress)); ok {
		return &watch
	}
	return nil
}

// mostProgress is the maximum length in bytes of a progress message.
const mostProgress = 200

// forwardProgress passes a progress notification to the watcher of its call.
func (c *calls) forwardProgress(token int64, params map[string]any) {
	call := c.find(token)
	if call == nil {
		return
	}
	watch := call.watch.Load()
	if watch == nil {
		return
	}
	var p toolscript.Progress
	p.Done, _ = params["progress"].(float64)
	p.Total, _ = params["total"].(float64)
	p.Message, _ = params["message"].(string)
	if message := []rune(p.Message); len(message) > mostProgress {
		p.Message = string(message[:mostProgress]) + "…"
	}
	(*watch)(p)
}
