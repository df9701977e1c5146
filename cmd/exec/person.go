package exec

import (
	"context"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// Approver is a Place at which the person at the terminal can approve calls.
type Approver interface {
	Approve(ctx context.Context, person *terminal.Person, a toolscript.Approval)
}

// asks reports whether an event is a question for the person at the terminal.
func asks(at Place, person *terminal.Person, e toolscript.Event) bool {
	_, approves := at.(Approver)
	return person != nil && (e.Ask != nil || e.Type == toolscript.EventApproval && e.Approval != nil && approves)
}

// answer asks the person and sends the answer.
func answer(ctx context.Context, at Place, person *terminal.Person, runID string, e toolscript.Event) {
	switch {
	case e.Type == toolscript.EventFinished:
		person.Finished(*e.Ask)
	case e.Ask != nil:
		person.Reply(ctx, at, runID, *e.Ask)
	default:
		at.(Approver).Approve(ctx, person, *e.Approval)
	}
}
