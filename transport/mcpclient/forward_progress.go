package mcpclient

import (
	"context"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

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

func watcherOf(ctx context.Context) *func(toolscript.Progress) {
	if watch := upstream.WatcherOf(ctx); watch != nil {
		return &watch
	}
	return nil
}
