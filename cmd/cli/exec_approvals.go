package cli

import (
	"context"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/elicit"
)

// nobodyHere is why a process without a gateway cannot ask for an approval.
const nobodyHere = "nobody can be asked here; start a gateway in another terminal (toolscript gateway start), or run the script at a terminal of yours"

// ownPlace runs scripts in this process. Its user approves calls at the terminal.
type ownPlace struct{ *daemon.Daemon }

// Approve needs no code: the person at the terminal has started this process.
func (p ownPlace) Approve(ctx context.Context, person *elicit.Person, a toolscript.Approval) {
	answer, ok := person.Approve(a)
	if !ok {
		answer = toolscript.ApprovalAnswer{Action: toolscript.ApprovalDeny, Reason: "the terminal was closed"}
	}
	if err := p.AnswerApproval(ctx, a.ID, answer, true); err != nil && ctx.Err() == nil {
		person.Say(err.Error())
	}
}

// approvals are those of a run in this process: its terminal answers, unless an agent
// has opened it.
func (o *execOptions) approvals() actors.Approvals {
	person := o.person()
	defer person.Close()
	if person != nil && o.agent() == "" {
		return actors.Approvals{}
	}
	return actors.Approvals{Refuse: nobodyHere}
}
