package deno

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/session"
)

// A process sends a call as a frame, so that the call reaches the gateway before everything that
// the script does later. So a task begins even if its script ends at once. The process fetches
// the answer from the loopback server, where the answer can wait while the script computes.

// callHeader announces a tool call; its arguments follow in the next line.
type callHeader struct {
	Call uint32 `json:"call"` // unique within the run
	Tool string `json:"tool"`
	Task bool   `json:"task"`
	Key  string `json:"key"` // idempotency key; "" if there is none
}

// call begins a tool call of the script.
func (r *denoRun) call(payload []byte) error {
	text, args, _ := bytes.Cut(payload, []byte("\n"))
	var header callHeader
	if json.Unmarshal(text, &header) != nil {
		return errNotUnderstood
	}
	call := runner.Call{CallID: strconv.FormatUint(uint64(header.Call), 10), ID: header.Tool, Args: args, Task: header.Task, Key: header.Key}
	return r.Call(call, len(payload))
}

// deliver keeps the answer of a call until the process fetches it.
func (r *denoRun) deliver(a session.Answer) (rest func()) {
	size := int64(len(a.Value) + len(a.Content))
	r.waiting.Add(size)
	return func() {
		defer r.waiting.Add(-size)
		select {
		case r.answers <- a:
		case <-r.Context().Done():
		}
	}
}

// strictHost refuses calls whose arguments are not JSON. On QuickJS, the worker encodes the
// arguments. On Deno, the script can change the code that encodes them.
type strictHost struct{ runner.Host }

// Begin implements runner.Host.
func (h strictHost) Begin(c runner.Call, done func(runner.Answer)) {
	if !json.Valid(c.Args) {
		done(runner.Answer{Failure: &toolscript.ToolError{Tool: c.ID, Code: toolscript.Invalid, Sent: toolscript.SentNo, Message: "the arguments nest too deep, or are not JSON"}})
		return
	}
	h.Host.Begin(c, done)
}

// giveAnswer waits until a call of the run has ended. It responds with status 200 and the
// value that the script gets, or with another status and the error that the script catches.
// It gives each answer once, in the order in which the calls ended.
func giveAnswer(w http.ResponseWriter, request *http.Request, to *endpoint) {
	run := to.current()
	if run == nil {
		refuse(w, http.StatusConflict, toolscript.Conflict, "no run is in progress")
		return
	}
	select {
	case a := <-run.answers:
		w.Header().Set("Toolscript-Call", a.CallID)
		if a.Failure != nil {
			answer(w, http.StatusUnprocessableEntity, a.Failure.JSON())
			return
		}
		text, with := a.Text()
		if with {
			w.Header().Set("Toolscript-Content", "1")
		}
		answer(w, http.StatusOK, text)
	case <-run.Context().Done():
		refuse(w, http.StatusConflict, toolscript.Conflict, "the run has ended")
	case <-request.Context().Done(): // the process closed the connection
	}
}
