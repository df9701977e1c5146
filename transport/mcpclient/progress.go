package mcpclient

import (
	"context"
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
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

// progress notifies the caller of a request that the server has made progress.
func (c *calls) progress(token int64) {
	if call := c.find(token); call != nil && call.progress != nil {
		call.progress()
	}
}

func (c *calls) directProgress(params json.RawMessage) bool {
	var fields map[string]any
	if json.Unmarshal(params, &fields) != nil {
		return false
	}
	token := tokenOf(fields)
	if c.find(token) == nil {
		return false
	}
	func() {
		defer rescue.Catch(panicked(c.on))
		c.progress(token)
		c.forwardProgress(token, fields)
	}()
	return true
}

// tokenOf returns the progress token in the parameters of a notification; 0 if it is not a token of
// this package.
func tokenOf(params map[string]any) int64 {
	switch token := params["progressToken"].(type) {
	case float64:
		return int64(token)
	case string:
		id, _ := httptransport.Parse([]byte(token))
		return id
	}
	return 0
}
