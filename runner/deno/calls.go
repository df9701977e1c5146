package deno

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/internal/guard"
	"github.com/toolscript/toolscript/runner/report"
)

// A call begins with a frame, so that the gateway has it before anything that
// its script does later, its end included: a task is begun even by a script that
// ends in the same moment. What it gave is fetched from the door, where an answer
// can wait while the script computes.

// callHeader announces a tool call; its arguments follow in the next line.
type callHeader struct {
	Call uint32 `json:"call"` // its number, which no other call of the run has
	Tool string `json:"tool"`
	Task bool   `json:"task"`
}

// callAnswer is what a call gave, on its way to the process.
type callAnswer struct {
	call    string
	value   json.RawMessage
	failure *toolscript.ToolError
}

// begin starts one tool call, when there is room for what it holds. While there
// is none the process is not read, and its script waits in the call.
func (r *run) begin(payload []byte) error {
	text, args, _ := bytes.Cut(payload, []byte("\n"))
	var header callHeader
	if json.Unmarshal(text, &header) != nil || !r.seen.add(uint64(header.Call)) {
		return errNotUnderstood
	}
	if !r.held.Take(len(payload), r.ctx.Done(), r.process.done) {
		return nil
	}
	call := runner.Call{CallID: strconv.FormatUint(uint64(header.Call), 10), ID: header.Tool, Args: args, Task: header.Task}
	ctx, done, err := r.cancels.Add(r.ctx, call.CallID)
	if err != nil {
		return err
	}
	r.made.Add(1)
	pending := r.take(ctx, call) // here, so that calls keep their order
	r.pending.Go(func() {
		answer := r.wait(call, pending)
		done()
		r.completed.Add(1)
		r.held.Release(len(payload))
		size := int64(len(answer.value))
		r.waiting.Add(size)
		defer r.waiting.Add(-size)
		select {
		case r.answers <- answer:
		case <-r.ctx.Done():
		}
	})
	return nil
}

// take has the host begin a call.
func (r *run) take(ctx context.Context, c runner.Call) (pending runner.Pending) {
	if !json.Valid(c.Args) {
		return runner.Refused(&toolscript.ToolError{Tool: c.ID, Code: toolscript.Invalid, Message: "the arguments nest too deep, or are not JSON"})
	}
	err := guard.Do(r.process.engine.options.Log, "begin a call of run "+r.job.RunID, func() { pending = r.host.Begin(ctx, c) })
	if err != nil {
		return runner.Refused(failedHere(c))
	}
	return pending
}

// wait waits for the end of a call. A panic of the host is an answer too.
func (r *run) wait(c runner.Call, pending runner.Pending) callAnswer {
	answer := callAnswer{call: c.CallID}
	err := guard.Do(r.process.engine.options.Log, "make a call of run "+r.job.RunID, func() {
		answer.value, answer.failure = pending()
	})
	if err != nil {
		answer.value, answer.failure = nil, failedHere(c)
	}
	if size := len(answer.value); size > maxFrame {
		answer.value, answer.failure = nil, report.AnswerTooLong(c.ID, size, maxFrame)
	}
	return answer
}

// failedHere is what a script catches of a call in which the host has panicked.
func failedHere(c runner.Call) *toolscript.ToolError {
	return &toolscript.ToolError{Tool: c.ID, Code: toolscript.Internal, Message: "the gateway failed in this call; its log says why"}
}

// giveAnswer waits until a call of the room's run has ended, and answers with
// what the script sees, or with another status than 200 with the error it
// catches. Each call is told once, in the order in which they ended.
func giveAnswer(w http.ResponseWriter, request *http.Request, room *room) {
	run := room.under()
	if run == nil {
		refuse(w, http.StatusConflict, toolscript.Conflict, "no run is under way here")
		return
	}
	select {
	case a := <-run.answers:
		w.Header().Set("Toolscript-Call", a.call)
		if a.failure != nil {
			answer(w, http.StatusUnprocessableEntity, errorJSON(a.failure))
			return
		}
		answer(w, http.StatusOK, a.value)
	case <-run.ctx.Done():
		refuse(w, http.StatusConflict, toolscript.Conflict, errOver.Error())
	case <-request.Context().Done(): // the process has hung up
	}
}

// errorJSON is a ToolError as the prelude reads it.
func errorJSON(e *toolscript.ToolError) []byte {
	text, err := json.Marshal(e)
	if err != nil { // a content block that is no JSON
		text, _ = json.Marshal(toolscript.ToolError{Server: e.Server, Tool: e.Tool, Code: e.Code, Message: strings.ToValidUTF8(e.Message, "\uFFFD")})
	}
	return text
}
