package runs

import (
	"context"
	"errors"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// StdinTime is how long a piece of standard input waits until the script has taken the
// previous piece.
const StdinTime = 30 * time.Second

// giveStdin waits for the script in a goroutine.
func (r *run) giveStdin(m Stdin) {
	if err := r.over(); err != nil {
		m.Reply.Send(struct{}{}, err)
		return
	}
	ctx, cancel := context.WithTimeout(r.ctx, StdinTime)
	mailbox.Go(func() {
		defer cancel()
		m.Reply.Send(struct{}{}, r.stdin.give(ctx, m.Piece))
	}, func(err error) { m.Reply.Send(struct{}{}, err) })
}

// answer checks the answer against the schema of its question in a goroutine.
func (r *run) answer(m Answer) {
	if err := r.over(); err != nil {
		m.Reply.Send(struct{}{}, err)
		return
	}
	mailbox.Go(func() {
		m.Reply.Send(struct{}{}, r.questions.give(r.ctx, m.Answer))
	}, func(err error) { m.Reply.Send(struct{}{}, err) })
}

// over returns the error of a request to a run that has ended; nil before.
func (r *run) over() error {
	if r.record.EndedAt != nil {
		return errEnded(r.id)
	}
	return nil
}

func (r *run) abort() error {
	if r.over() == nil {
		r.cancel(errAbort)
		return nil
	}
	if r.calls.stopTasks() {
		return nil
	}
	return errEnded(r.id)
}

// errAbort is the cause of the end of an aborted run.
var errAbort = &toolscript.Error{Kind: toolscript.Cancelled, Err: errors.New("the run was aborted")}
