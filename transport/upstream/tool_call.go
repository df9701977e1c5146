package upstream

import (
	"context"
	"encoding/json"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/rescue"
)

// ToolCall describes one call of a tool.
type ToolCall struct {
	// Ctx carries values for the HTTP transports. Its end is not observed: use Cancel.
	Ctx      context.Context           //nolint:containedctx // it belongs to the caller
	Held     *budget.Held              // counts the bytes of the answer; nil means the Held of Ctx, see budget.Hold
	Tool     string                    // the server's name for the tool
	Args     json.RawMessage           // one JSON object; empty means {}
	Run      string                    // id of the run that makes the call; empty outside of runs
	Key      string                    // idempotency key, for a hub of a fleet; empty if there is none
	Trace    string                    // traceparent for the server; empty if there is none
	Task     string                    // id of a task of the server to follow in place of a call; see TaskError
	Began    func(task string)         // called when the server works on a task for the call; may be nil
	Limit    time.Duration             // time limit without progress; applied by the caller of Start, unless the connection applies it
	Origin   *toolscript.Origin        // receives the host of the hub in a fleet; may be nil
	Progress func()                    // called for each progress notification; may be nil
	Watch    func(toolscript.Progress) // receives the content of these notifications; nil means the watcher of Ctx, see WatchProgress

	// Done receives the result exactly once. It runs in the goroutine that reads from
	// the server, or in the caller's goroutine of Start or Cancel. It must not block.
	Done func(result json.RawMessage, err error)
}

// Started is a handle for a call in flight. Cancel ends the call with err, if it is
// still in flight, and sends the reason to the server. It does not block.
type Started interface {
	Cancel(reason string, err error)
}

// Go makes the call with f in a goroutine. A panic of f ends the call. Cancel ends f's context with the cause err.
func (t ToolCall) Go(f func(context.Context) (json.RawMessage, error)) Started {
	ctx := t.Ctx
	if t.Held != nil {
		ctx = t.Held.In(ctx)
	}
	if t.Watch != nil {
		ctx = WatchProgress(ctx, t.Watch)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		if t.Ctx.Done() == nil { // otherwise the context lasts until t.Ctx ends: see endAfter
			defer cancel(nil)
		}
		var result json.RawMessage
		err := ErrFault
		defer func() { t.Done(result, err) }()
		defer rescue.Ignore() // a panic of f
		result, err = f(ctx)
	}()
	return background(cancel)
}

// background is the Started of a call in a goroutine.
type background context.CancelCauseFunc

func (b background) Cancel(_ string, err error) { b(err) }

// EndedCall is the Started of a call that has ended in Start.
type EndedCall struct{}

// Cancel does nothing.
func (EndedCall) Cancel(string, error) {}
