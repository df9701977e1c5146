package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// host is the Host of a sandbox on this machine. It forwards calls and output to the gateway.
type host struct {
	link   *stream
	cancel context.CancelCauseFunc // ends the run
	clock  *runner.Clock
	resume func() // restarts the clock; nil while it runs; only receive uses it

	mu    sync.Mutex
	calls map[string]func(runner.Answer) // done functions of the calls in flight, by id; nil after the end
}

var (
	_ runner.Host  = (*host)(nil)
	_ runner.Idler = (*host)(nil)
)

// Begin implements runner.Host.
func (h *host) Begin(c runner.Call, done func(runner.Answer)) {
	h.mu.Lock()
	over := h.calls == nil
	if !over {
		h.calls[c.CallID] = done
	}
	h.mu.Unlock()
	if over {
		done(failed(c.ID, toolscript.SentNo, "the run has ended"))
		return
	}
	head, _ := join(call{CallID: c.CallID, ID: c.ID, Task: c.Task, Key: c.Key}) // such a struct always has a JSON form
	h.link.send(frameCall, head, c.Args)
}

func failed(tool string, sent toolscript.Sent, why string) runner.Answer {
	return runner.Answer{Failure: &toolscript.ToolError{Tool: tool, Code: toolscript.Cancelled, Sent: sent, Message: why}}
}

// Cancel implements runner.Host. It only tells the gateway about calls that the script
// cancels: the gateway itself ends the others with the run.
func (h *host) Cancel(callID string, cause error) {
	if errors.Is(cause, runner.ErrCallCancelled) {
		h.link.send(frameCancelCall, []byte(callID))
		return
	}
	h.mu.Lock()
	done := h.calls[callID]
	delete(h.calls, callID)
	h.mu.Unlock()
	if done != nil {
		done(failed("", toolscript.SentUnknown, fmt.Sprint(cause)))
	}
}

// CancelAll implements runner.Host.
func (h *host) CancelAll(cause error) {
	h.mu.Lock()
	calls := slices.Collect(maps.Values(h.calls))
	clear(h.calls)
	h.mu.Unlock()
	for _, done := range calls {
		done(failed("", toolscript.SentUnknown, fmt.Sprint(cause)))
	}
}

// Write implements runner.Host. It blocks while the gateway does not take output.
func (h *host) Write(to runner.Stream, text string) {
	h.link.send(frameOutput, []byte{byte(to)}, []byte(text))
	h.link.wait()
}

// ReadStdin implements runner.Host. Standard input is always empty.
func (h *host) ReadStdin(context.Context) ([]byte, error) { return nil, io.EOF }

// Idle implements runner.Idler.
func (h *host) Idle(calls int) {
	h.link.send(frameIdle, strconv.AppendInt(nil, int64(calls), 10))
}

// receive handles the frames of the gateway until the run ends. It ends the run if the
// gateway is lost.
func (h *host) receive(ctx context.Context) {
	defer h.end()
	for {
		select {
		case f := <-h.link.frames():
			err := h.handle(f)
			h.link.took()
			if err != nil {
				h.link.fail(err)
			}
		case <-h.link.done:
			h.cancel(fmt.Errorf("the gateway was lost: %w", h.link.cause()))
			return
		case <-ctx.Done():
			return
		}
	}
}

func (h *host) handle(f frame) error {
	switch f.kind {
	case frameAnswer:
		var a answer
		value, err := split(f.payload, &a)
		if err != nil {
			return err
		}
		h.answer(a, value)
	case frameCancel:
		h.cancel(errors.New("the gateway has cancelled the run"))
	case frameClock:
		var stopped bool
		if json.Unmarshal(f.payload, &stopped) != nil {
			return errFrame
		}
		h.setClock(stopped)
	default:
		return errFrame
	}
	return nil
}

// answer ends a call. It ignores a call that has ended: its answer and a cancellation may have crossed.
func (h *host) answer(a answer, value []byte) {
	h.mu.Lock()
	done := h.calls[a.CallID]
	delete(h.calls, a.CallID)
	h.mu.Unlock()
	if done == nil {
		return
	}
	if a.Failure != nil {
		value, a.Content = nil, nil
	}
	done(runner.Answer{Value: value, Content: a.Content, Failure: a.Failure})
}

func (h *host) setClock(stopped bool) {
	switch {
	case stopped && h.resume == nil:
		h.resume = h.clock.Hold()
	case !stopped && h.resume != nil:
		h.resume()
		h.resume = nil
	}
}

// end fails the calls in flight, because the sandbox waits for their answers.
func (h *host) end() {
	h.setClock(false)
	h.mu.Lock()
	calls := h.calls
	h.calls = nil
	h.mu.Unlock()
	for _, done := range calls {
		done(failed("", toolscript.SentUnknown, "the run has ended"))
	}
}
