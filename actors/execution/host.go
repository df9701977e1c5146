package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// host is the gateway as one run's sandbox sees it. It enforces every budget
// that can be counted outside the sandbox. It is safe for concurrent use, as
// calls arrive concurrently.
type host struct {
	id     string
	deps   *Deps
	allow  toolscript.Filter
	limits toolscript.Limits
	events *emitter
	tell   func(any) // to the run's actor
	stdin  *stdin

	calls     atomic.Int64 // admitted
	completed atomic.Int64
	slots     chan struct{} // one element for each call under way

	output         sync.Mutex
	stdout, stderr int64 // bytes passed on
	cut            bool
}

var _ runner.Host = (*host)(nil)

// Call implements runner.Host: allow list, budget, queue, then the gateway.
func (h *host) Call(ctx context.Context, c runner.Call) (json.RawMessage, *toolscript.ToolError) {
	tool, known := h.deps.Lookup(c.ID)
	if !known {
		return nil, toolError(toolscript.Tool{}, c.ID, h.deps.Missing(c.ID))
	}
	if refusal := h.admit(tool); refusal != nil {
		return nil, refusal
	}
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-ctx.Done():
		return nil, toolError(tool, tool.ID(), &toolscript.Error{Kind: toolscript.Cancelled, Err: errors.New("the run ended before the call began")})
	}
	return h.call(ctx, c, tool)
}

// admit counts a call against the budget and the allow list.
func (h *host) admit(tool toolscript.Tool) *toolscript.ToolError {
	if !h.allow.Match(tool) {
		return toolError(tool, tool.ID(), &toolscript.Error{
			Kind: toolscript.Forbidden, Err: fmt.Errorf("%s is not among the tools this run may call (--allow %s)", tool.ID(), h.allow),
		})
	}
	if n := h.calls.Add(1); n > h.limits.ToolCalls {
		h.calls.Add(-1)
		return toolError(tool, tool.ID(), &toolscript.Error{
			Kind: toolscript.LimitCalls, Err: fmt.Errorf("the run has made its %d tool calls", h.limits.ToolCalls),
		})
	}
	return nil
}

func (h *host) call(ctx context.Context, c runner.Call, tool toolscript.Tool) (json.RawMessage, *toolscript.ToolError) {
	h.tell(callBegan{c.CallID, c.ID})
	h.events.emit(toolscript.Event{Type: toolscript.EventCall, CallID: c.CallID, Tool: c.ID})
	start := time.Now()

	v, failure := h.answer(ctx, c, tool)

	h.completed.Add(1)
	ms := float64(time.Since(start).Microseconds()) / 1000
	ok, kind := failure == nil, toolscript.Kind("")
	if !ok {
		kind = failure.Code
	}
	h.tell(callEnded{c.CallID, ok, kind, ms})
	h.events.emit(toolscript.Event{Type: toolscript.EventCallEnd, CallID: c.CallID, Tool: c.ID, OK: &ok, Ms: ms})
	return v, failure
}

func (h *host) answer(ctx context.Context, c runner.Call, tool toolscript.Tool) (json.RawMessage, *toolscript.ToolError) {
	raw, err := h.deps.Call(ctx, toolscript.Call{ID: c.ID, Args: c.Args, Run: h.id})
	if err != nil {
		return nil, toolError(tool, tool.ID(), err)
	}
	return value(tool, raw, h.deps.Fits)
}

// Write implements runner.Host. Output over the bound is cut at a character
// boundary, once with a word about it.
func (h *host) Write(s runner.Stream, text string) {
	h.output.Lock()
	defer h.output.Unlock()
	if h.cut || text == "" {
		return
	}
	if room := h.limits.OutputBytes - h.stdout - h.stderr; int64(len(text)) > room {
		text, h.cut = cutText(text, int(room)), true
	}
	kind := toolscript.EventStdout
	if s == runner.Stderr {
		kind = toolscript.EventStderr
		h.stderr += int64(len(text))
	} else {
		h.stdout += int64(len(text))
	}
	if text != "" {
		h.events.emit(toolscript.Event{Type: kind, Data: text})
	}
	if h.cut {
		h.events.emit(toolscript.Event{
			Type: toolscript.EventStderr, Data: fmt.Sprintf("\n[output was cut at its limit of %d bytes]\n", h.limits.OutputBytes),
		})
	}
}

// cutText is the longest start of text of at most n bytes that ends between characters.
func cutText(text string, n int) string {
	for n > 0 && n < len(text) && text[n]&0xC0 == 0x80 { // inside a UTF-8 sequence
		n--
	}
	return text[:n]
}

// ReadStdin implements runner.Host.
func (h *host) ReadStdin(ctx context.Context) ([]byte, error) {
	h.stdin.wanted.Do(func() { h.events.emit(toolscript.Event{Type: toolscript.EventStdin}) })
	return h.stdin.read(ctx)
}

// counts are the calls that have ended and those that have not.
func (h *host) counts() (completed, pending int64) {
	completed = h.completed.Load()
	return completed, h.calls.Load() - completed
}

// written are the bytes passed on.
func (h *host) written() (stdout, stderr int64) {
	h.output.Lock()
	defer h.output.Unlock()
	return h.stdout, h.stderr
}
