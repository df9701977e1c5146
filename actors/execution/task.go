package execution

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/runner"
)

// errAborted is why a call ends that its run leaves behind.
var errAborted = &toolscript.Error{Kind: toolscript.Cancelled, Err: errors.New("the run ended before the call was answered")}

// errStopped is why a task ends that has outlived its script.
var errStopped = &toolscript.Error{Kind: toolscript.Cancelled, Err: errors.New("the task was stopped, as its run was aborted")}

// task begins a call that goes on when the script has ended by itself. The answer
// is only for the time until then.
func (h *host) task(ctx context.Context, c runner.Call, tool toolscript.Tool, turn *turn) runner.Pending {
	going, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	h.begin(c, tool, cancel) // though its turn may be long in coming
	return func() (json.RawMessage, *toolscript.ToolError) {
		answers := make(chan answer, 1)
		mailbox.Go(func() {
			defer cancel(nil)
			answers <- h.makeTask(going, c, tool, turn)
		}, func(err error) {
			answers <- answer{nil, toolError(tool, tool.ID(), err)}
		})
		select {
		case a := <-answers:
			return a.value, a.failure
		case <-ctx.Done():
		}
		if !errors.Is(context.Cause(ctx), runner.ErrCallCancelled) {
			return nil, toolError(tool, tool.ID(), errAborted)
		}
		cancel(runner.ErrCallCancelled)
		a := <-answers
		return a.value, a.failure
	}
}

// answer is what a call gave.
type answer struct {
	value   json.RawMessage
	failure *toolscript.ToolError
}

// makeTask waits for the turn of a task and makes its call.
func (h *host) makeTask(ctx context.Context, c runner.Call, tool toolscript.Tool, turn *turn) answer {
	if err := turn.wait(ctx); err != nil {
		h.dropped(c)
		return answer{nil, toolError(tool, tool.ID(), err)}
	}
	defer turn.leave()
	v, failure := h.call(ctx, c, tool)
	return answer{v, failure}
}

// dropped notes that a task has ended before its turn came.
func (h *host) dropped(c runner.Call) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.forget(c.CallID)
	if h.over {
		h.late(callEnded{callBegan: callBegan{c.CallID, c.ID, c.Task}, kind: toolscript.Cancelled})
	}
}

// stopTasks ends what has outlived the script, and reports whether there was any.
func (h *host) stopTasks() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range h.running {
		f.cancel(errStopped)
	}
	return len(h.running) > 0
}

// idle reports whether nothing is under way.
func (h *host) idle() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.running) == 0
}

// close is called when the script has ended. It says which calls are still under
// way: tasks, which go on if the script ended by itself and there is room for them,
// the first ones first, and calls that have not ended though they were told to.
func (h *host) close(byItself bool) []toolscript.DetachedCall {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	var detached []toolscript.DetachedCall
	for _, id := range inOrder(h.running) {
		f := h.running[id]
		switch {
		case f.task && !byItself:
			f.cancel(errAborted)
			continue
		case f.task && !h.left.take(f.arguments):
			f.cancel(errTooMuchLeft)
			continue
		case f.task:
			f.left = true
		}
		detached = append(detached, toolscript.DetachedCall{CallID: id, Tool: f.tool, Task: f.task})
	}
	return detached
}

// inOrder are the ids of calls in the order in which they were made.
func inOrder(calls map[string]*flight) []string {
	return slices.SortedFunc(maps.Keys(calls), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
}
