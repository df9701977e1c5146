package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// host is the gateway as one run's script sees it. It enforces every budget that
// can be counted outside the sandbox. It is safe for concurrent use, as calls
// arrive concurrently.
type host struct {
	id     string
	deps   *Deps
	allow  toolscript.Filter
	limits toolscript.Limits
	events *emitter
	tell   func(any)       // to the run's actor
	late   func(callEnded) // to Runs, when that actor has had its last word
	stdin  *stdin
	asks   *asks
	clock  *runner.Clock // of the run
	out    *console
	turns  *turns
	left   *leftovers // of all runs

	mu        sync.Mutex
	admitted  int64
	completed int64
	outside   int64              // calls that came with the run's capability
	running   map[string]*flight // begun and not ended, by CallID
	cut       []string           // tools of calls that the end of the run has ended
	over      bool               // the script has ended
}

// flight is a call that has begun.
type flight struct {
	tool      string
	task      bool
	cancel    context.CancelCauseFunc
	arguments int  // bytes
	left      bool // counted among what scripts have left
}

var _ runner.Host = (*host)(nil)

// Begin implements runner.Host.
func (h *host) Begin(ctx context.Context, c runner.Call) runner.Pending {
	if answer := own[c.ID]; answer != nil {
		return h.own(ctx, c, answer)
	}
	tool, err := h.enter(c.ID)
	if err != nil {
		return runner.Refused(toolError(tool, c.ID, err))
	}
	turn := h.turns.queue()
	if c.Task {
		return h.task(ctx, c, tool, turn)
	}
	return func() (json.RawMessage, *toolscript.ToolError) {
		if err := turn.wait(ctx); err != nil {
			h.noteCut(ctx, c)
			return nil, toolError(tool, c.ID, err)
		}
		defer turn.leave()
		v, failure := h.call(ctx, c, tool)
		if failure != nil && failure.Code == toolscript.Cancelled {
			h.noteCut(ctx, c)
		}
		return v, failure
	}
}

// noteCut notes a call that ended because its run did, and not because the script
// cancelled it.
func (h *host) noteCut(ctx context.Context, c runner.Call) {
	if ctx.Err() == nil || errors.Is(context.Cause(ctx), runner.ErrCallCancelled) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cut = append(h.cut, c.ID)
}

// cutOff are the ids of the tools of all such calls, each of them once.
func (h *host) cutOff() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Compact(slices.Sorted(slices.Values(h.cut)))
}

// Outside makes a call that came over HTTP with the capability of the run. It
// answers with the whole result; the rules are those of the run's other calls.
func (h *host) Outside(ctx context.Context, c toolscript.Call) (raw json.RawMessage, err error) {
	tool, err := h.enter(c.ID)
	if err != nil {
		return nil, err
	}
	turn := h.turns.queue()
	if err := turn.wait(ctx); err != nil {
		return nil, err
	}
	defer turn.leave()
	h.mu.Lock()
	h.outside++
	callID := fmt.Sprintf("http_%d", h.outside)
	h.mu.Unlock()
	h.observe(ctx, runner.Call{CallID: callID, ID: c.ID}, tool, func(ctx context.Context) toolscript.Kind {
		if raw, err = h.deps.Call(ctx, c); err != nil {
			return toolscript.KindOf(err)
		}
		return kindOfResult(raw)
	})
	return raw, err
}

// enter lets a call in: allow list and budget.
func (h *host) enter(id string) (toolscript.Tool, error) {
	tool, known := h.deps.Lookup(id)
	if own, is := offered(id); is {
		return own, h.admit() // whom it may ask is known when its server is
	}
	if !h.allowed(tool, known, id) {
		return tool, h.forbidden(id)
	}
	if !known {
		return tool, h.deps.Missing(id, h.allow)
	}
	return tool, h.admit()
}

func (h *host) forbidden(id string) error {
	return &toolscript.Error{
		Kind: toolscript.Forbidden, Err: fmt.Errorf("%s is not among the tools this run may call (--allow %s)", id, h.allow),
	}
}

// allowed looks a tool up in the allow list. Of one that is not in the catalog
// only the id is known, which leads to no more than the reason.
func (h *host) allowed(tool toolscript.Tool, known bool, id string) bool {
	if known || h.allow == nil {
		return h.allow.Match(tool)
	}
	for _, entry := range h.allow {
		if entry == id || strings.HasPrefix(id, entry+toolscript.Separator) {
			return true
		}
	}
	return false
}

// admit counts a call against the budget.
func (h *host) admit() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.admitted >= h.limits.ToolCalls {
		return &toolscript.Error{
			Kind: toolscript.LimitCalls, Err: fmt.Errorf("the run has made its %d tool calls; allow more with --calls", h.limits.ToolCalls),
		}
	}
	h.admitted++
	return nil
}

// call makes a call and answers with the value that the script sees.
func (h *host) call(ctx context.Context, c runner.Call, tool toolscript.Tool) (v json.RawMessage, failure *toolscript.ToolError) {
	h.observe(ctx, c, tool, func(ctx context.Context) toolscript.Kind {
		v, failure = h.answer(ctx, c, tool)
		if failure != nil {
			return failure.Code
		}
		return ""
	})
	return v, failure
}

func (h *host) answer(ctx context.Context, c runner.Call, tool toolscript.Tool) (json.RawMessage, *toolscript.ToolError) {
	if _, own := offered(c.ID); own {
		return h.fetch(ctx, c, tool)
	}
	var person asking
	raw, err := h.deps.Call(ctx, toolscript.Call{ID: c.ID, Args: c.Args, Run: h.id, Ask: person.by(h.ask)})
	if err != nil {
		return nil, person.reason(tool, toolError(tool, tool.ID(), err))
	}
	v, failure := value(tool, raw, h.deps.Fits)
	return v, person.reason(tool, failure)
}

// ask puts a question of a server to the person who started the run.
// Meanwhile the time of the run stands still.
func (h *host) ask(ctx context.Context, q toolscript.Question) (toolscript.Answer, error) {
	defer h.clock.Hold()()
	return h.asks.put(ctx, q, func(q toolscript.Question) {
		h.events.emit(toolscript.Event{Type: toolscript.EventAsk, Ask: &q})
	})
}

// observe tells that a call begins and how it ends, and counts it. What was cut
// off by the run's end was not completed; what the script itself cancelled was.
func (h *host) observe(ctx context.Context, c runner.Call, tool toolscript.Tool, do func(context.Context) toolscript.Kind) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	h.begin(c, tool, cancel)
	h.tell(callBegan{c.CallID, c.ID, c.Task})
	h.events.emit(toolscript.Event{Type: toolscript.EventCall, CallID: c.CallID, Tool: c.ID})
	start := time.Now()

	kind := do(ctx)

	ended := callEnded{callBegan{c.CallID, c.ID, c.Task}, kind == "", kind, ms(time.Since(start))}
	h.ended(ended, kind != toolscript.Cancelled || errors.Is(context.Cause(ctx), runner.ErrCallCancelled))
	h.events.emit(toolscript.Event{Type: toolscript.EventCallEnd, CallID: c.CallID, Tool: c.ID, OK: &ended.ok, Ms: ended.ms})
}

// begin notes a call under way, and of one that is known how it is cancelled now.
func (h *host) begin(c runner.Call, tool toolscript.Tool, cancel context.CancelCauseFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f := h.running[c.CallID]; f != nil {
		f.cancel = cancel
		return
	}
	h.running[c.CallID] = &flight{tool: tool.ID(), task: c.Task, cancel: cancel, arguments: len(c.Args)}
}

// forget is called with mu held when a call is no longer under way.
func (h *host) forget(callID string) {
	if f := h.running[callID]; f != nil && f.left {
		h.left.release(f.arguments)
	}
	delete(h.running, callID)
}

func (h *host) ended(m callEnded, completed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.forget(m.callID)
	if completed {
		h.completed++
	}
	if h.over {
		h.late(m)
		return
	}
	h.tell(m)
}

// Write implements runner.Host.
func (h *host) Write(s runner.Stream, text string) { h.out.write(s, text) }

// ReadStdin implements runner.Host.
func (h *host) ReadStdin(ctx context.Context) ([]byte, error) {
	h.stdin.wanted.Do(func() { h.events.emit(toolscript.Event{Type: toolscript.EventStdin}) })
	return h.stdin.read(ctx)
}

// counts are the calls that were let in, those of them that were answered, and
// those that were not.
func (h *host) counts() (admitted, completed, pending int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.admitted, h.completed, h.admitted - h.completed
}
