package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// silence is the time after which a run without progress is reported. Several clients end a
// request that has no progress for a minute.
const silence = 15 * time.Second

// progress sends the progress of a run, or of a call of an app, to the request that waits for it. The zero value
// sends nothing.
type progress struct {
	mu       sync.Mutex
	to       notifier // nil: no request waits
	token    mcp.ProgressToken
	count    int
	since    time.Time // start of the first request
	reported time.Time
	last     string    // the last message, even if no request waits
	lastAt   time.Time // when it was reported
}

// notifying sends notifications to a request, even if the run is silent, until stop is called.
func (p *progress) notifying(ctx context.Context, meta *mcp.Meta) (stop func()) {
	p.attach(ctx, meta)
	ctx, cancel := context.WithCancel(ctx)
	go p.beat(ctx)
	return func() {
		cancel()
		p.detach()
	}
}

// attach directs the notifications to a request.
func (p *progress) attach(ctx context.Context, meta *mcp.Meta) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to, p.token, p.reported = notifierIn(ctx), nil, time.Now()
	if p.since.IsZero() {
		p.since = p.reported
	}
	if meta != nil {
		p.token = meta.ProgressToken
	}
}

// detach ends the notifications. It must be called before the response to the request.
func (p *progress) detach() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to = nil
}

// wanted reports whether the client has asked for progress.
func (p *progress) wanted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.to != nil && p.token != nil
}

// report sends a progress notification if the client wants them.
func (p *progress) report(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last, p.lastAt = message, time.Now()
	if p.to == nil || p.token == nil {
		return
	}
	p.count++
	p.reported = time.Now()
	text, _ := json.Marshal(map[string]any{ // it always encodes
		"jsonrpc": mcp.JSONRPC_VERSION, "method": "notifications/progress",
		"params": map[string]any{"progressToken": p.token, "progress": p.count, "message": message},
	})
	p.to.notify(text)
}

// latest returns the last message, for the state of a task.
func (p *progress) latest() (message string, at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last, p.lastAt
}

// beat reports a silent run periodically until ctx ends.
func (p *progress) beat(ctx context.Context) {
	for ctx.Err() == nil && p.wanted() {
		p.mu.Lock()
		left := silence - time.Since(p.reported)
		since := p.since
		p.mu.Unlock()
		if left <= 0 {
			p.report(fmt.Sprintf("running for %.0f s", time.Since(since).Seconds()))
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(left):
		}
	}
}
