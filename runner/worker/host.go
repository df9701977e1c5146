package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/internal/guard"
	"github.com/toolscript/toolscript/runner/report"
)

// What follows is how a run uses its host. A panic there is the host's fault: it
// is logged with its stack, the script gets an error, and nobody else notices.

// write passes output on, unless the run is over.
func (r *run) write(s runner.Stream, text string) {
	if r.ctx.Err() != nil {
		return
	}
	defer r.recovered("write", nil)
	r.host.Write(s, text)
}

// begin starts one tool call, when there is room for what it holds. While there
// is none the worker is not read, and its script waits in the call. Nothing is
// begun once the run is over: nobody would be told the answer.
func (r *run) begin(payload []byte) error {
	var header callHeader
	args, err := split(payload, &header)
	if err != nil {
		return err
	}
	if err := header.check(); err != nil {
		return err
	}
	size := len(payload)
	if !r.calls.Take(size, r.ctx.Done(), r.sandbox.done) {
		return nil
	}
	ctx, done, err := r.cancels.Add(r.ctx, header.CallID)
	if err != nil {
		return err
	}
	call := runner.Call{CallID: header.CallID, ID: header.ID, Args: args, Task: header.Task}
	pending := r.take(ctx, call) // here, so that calls keep their order
	r.spawn(func() {
		defer r.calls.Release(size)
		defer done()
		r.answer(call, pending)
	})
	return nil
}

// check refuses a call whose id no engine gives: ids are numbers, and the record of
// a run keeps them.
func (h callHeader) check() error {
	if _, err := strconv.ParseUint(h.CallID, 10, 32); err != nil {
		return fmt.Errorf("a sandbox sent %.20q as the id of a call", h.CallID)
	}
	return nil
}

// take has the host begin a call.
func (r *run) take(ctx context.Context, c runner.Call) (pending runner.Pending) {
	defer r.recovered("begin a call", func() { pending = runner.Refused(failedHere(c)) })
	return r.host.Begin(ctx, c)
}

// answer waits for the end of a call and answers the worker.
func (r *run) answer(c runner.Call, pending runner.Pending) {
	header := answerHeader{CallID: c.CallID}
	value, toolErr := r.wait(c, pending)
	header.Err = toolErr
	if toolErr != nil || len(value) == 0 {
		value = nil
	}
	if err := r.tell(frameAnswer, header, value); errors.Is(err, errFrameTooLong) {
		header.Err = report.AnswerTooLong(c.ID, len(value), MaxFrame)
		_ = r.tell(frameAnswer, header, nil) // a broken link shows where frames are read
	}
}

func (r *run) wait(c runner.Call, pending runner.Pending) (value []byte, toolErr *toolscript.ToolError) {
	defer r.recovered("call", func() { toolErr = failedHere(c) })
	return pending()
}

// failedHere is what a script catches of a call in which the host has panicked.
func failedHere(c runner.Call) *toolscript.ToolError {
	return &toolscript.ToolError{Tool: c.ID, Code: toolscript.Internal, Message: "the gateway failed in this call; its log says why"}
}

// maxStdin is the largest piece of standard input that goes to a worker at once.
const maxStdin = 1 << 20

// grantStdin answers the worker's wishes for standard input, one after the
// other, as long as there are any.
func (r *run) grantStdin() {
	for {
		r.grantPiece()
		if r.wishes.Add(-1) == 0 {
			return
		}
	}
}

func (r *run) grantPiece() {
	header := stdinHeader{}
	if len(r.stdin) == 0 {
		r.stdin, header = r.nextStdin()
	}
	piece := r.stdin[:min(len(r.stdin), maxStdin)]
	r.stdin = r.stdin[len(piece):]
	_ = r.tell(frameStdin, header, piece) // a broken link shows where frames are read
}

func (r *run) nextStdin() (piece []byte, header stdinHeader) {
	defer r.recovered("read standard input", func() { header = stdinHeader{End: true, Err: guard.ErrPanic.Error()} })
	piece, err := r.host.ReadStdin(r.ctx)
	if err != nil {
		return nil, stdinHeader{End: true, Err: err.Error()}
	}
	return piece, stdinHeader{End: piece == nil}
}

// sayCancel asks the worker to end its script.
func (r *run) sayCancel() { _ = r.tell(frameCancel, nil, nil) }

// tell sends the worker a message, unless the run is over: it would meet the
// next one. A run that is cancelled gets no answers any more: those that the
// cancelling itself has brought would let the script go on, or fail with them.
func (r *run) tell(t frameType, header any, raw []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || t != frameCancel && r.ctx.Err() != nil {
		return nil
	}
	return r.sandbox.link.writeJSON(t, header, raw)
}

// recovered is deferred around every use of the host.
func (r *run) recovered(doing string, answer func()) {
	cause := recover()
	if cause == nil {
		return
	}
	guard.Log(r.sandbox.log, doing, cause, slog.String("run", r.job.RunID))
	if answer != nil {
		answer()
	}
}
