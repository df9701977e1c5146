package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolscript/toolscript"
)

const methodMessage = "notifications/message"

// logParams returns the parameters of a log message for a client. Its logger is the server, or
// SERVER/LOGGER.
func logParams(c toolscript.Change) map[string]any {
	logger := c.Server
	switch {
	case c.Server == "":
		logger = "toolscript"
	case c.Logger != "":
		logger += "/" + c.Logger
	}
	return map[string]any{"level": c.Level, "logger": logger, "data": c.Data}
}

// setLogLevel handles logging/setLevel: the session gets the log messages of all servers with at least this level.
func (e *entrance) setLogLevel(ctx context.Context, level string) (json.RawMessage, error) {
	session, _ := ctx.Value(sessionKey{}).(string)
	switch {
	case session == "":
		return nil, errNeedsSession
	case toolscript.LogRank(level) < 0:
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("there is no log level %.40q", level)}
	}
	life, cancel := context.WithCancel(e.lifeOf(ctx))
	e.subscriptions.setLogs(session, cancel) // first, because the session may end in the meantime
	err := e.watch(life, toolscript.WatchQuery{Level: level}, func(c toolscript.Change) { e.notifySession(session, methodMessage, logParams(c)) })
	if err != nil {
		cancel()
		return nil, err
	}
	return json.RawMessage(`{}`), nil
}

// setLogs records the function that ends the log messages of a session, and calls the one of the previous level.
func (s *subscriptions) setLogs(session string, cancel context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.of(session)
	if of.stopLogs != nil {
		of.stopLogs()
	}
	of.stopLogs = cancel
}

const (
	maxHeld  = 100                    // log messages of servers that a run has not called yet
	logGrace = 100 * time.Millisecond // how long a request waits for log messages after the end of its run
)

// hearing passes the log messages of the servers that a run calls on to the request of MCP 2026-07-28 that
// waits for the run.
type hearing struct {
	mu     sync.Mutex
	to     notifier           // nil: no request wants them
	stop   context.CancelFunc // set if to is set
	called map[string]bool    // servers
	held   []toolscript.Change
}

// notifying sends progress and log messages about the run to a request until stop is called.
func (s *script) notifying(ctx context.Context, meta *mcp.Meta) (stop func()) {
	silent := s.progress.notifying(ctx, meta)
	s.hear(ctx, meta)
	return func() {
		s.unhear(ctx)
		silent()
	}
}

// hear starts passing on log messages, if the request asks for them.
func (s *script) hear(ctx context.Context, meta *mcp.Meta) {
	to, level := notifierIn(ctx), string(meta.LogLevel())
	if to == nil || level == "" || !s.Pass || !server.IsModernRequest(ctx) {
		return
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	if !s.heard.begin(to, cancel) {
		cancel() // the request that began the run receives them
		return
	}
	_ = s.watch(life, toolscript.WatchQuery{Level: level}, s.heard.add) // without log messages, the run is the same
}

func (h *hearing) begin(to notifier, stop context.CancelFunc) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.to != nil {
		return false
	}
	h.to, h.stop = to, stop
	return true
}

// unhear stops passing on log messages. It must be called before the response to the request. It waits for logGrace,
// because the messages of the last call may arrive after its result.
func (s *script) unhear(ctx context.Context) {
	s.heard.mu.Lock()
	hears := s.heard.to != nil
	s.heard.mu.Unlock()
	if !hears {
		return
	}
	select {
	case <-time.After(logGrace):
	case <-ctx.Done():
	}
	s.heard.mu.Lock()
	defer s.heard.mu.Unlock()
	s.heard.stop()
	s.heard.to, s.heard.held = nil, nil
}

// add passes a message on, or holds it until the run calls its server.
func (h *hearing) add(c toolscript.Change) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.to == nil:
	case c.Server == "" || h.called[c.Server]:
		h.send(c)
	case len(h.held) < maxHeld:
		h.held = append(h.held, c)
	}
}

// calls records that the run calls a tool.
func (h *hearing) calls(tool string) {
	of, _, _ := strings.Cut(tool, toolscript.Separator)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.called[of] {
		return
	}
	if h.called == nil {
		h.called = map[string]bool{}
	}
	h.called[of] = true
	held := h.held
	h.held = nil
	for _, c := range held {
		if c.Server == of {
			h.send(c)
		} else {
			h.held = append(h.held, c)
		}
	}
}

// send sends a message. The caller holds mu, and to is set.
func (h *hearing) send(c toolscript.Change) {
	text, err := toolscript.PlainJSON(map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "method": methodMessage, "params": logParams(c)})
	if err == nil { // a change always has a JSON form
		h.to.notify(text)
	}
}
