package exec

import (
	"context"
	"os"
	"runtime"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// NoPerson says why a process without a gateway cannot ask for an approval.
const NoPerson = "there is no terminal to ask a person; start a gateway in another terminal (toolscript gateway start), " +
	"run the script at a terminal of yours, or allow the tool in approvals of ~/.toolscript.json"

// OwnPlace runs scripts in this process. Its user approves calls at the terminal.
type OwnPlace struct{ *daemon.Daemon }

// Approve sends the answer of the person. It needs no code, because the person has started this process.
func (p OwnPlace) Approve(ctx context.Context, person *terminal.Person, a toolscript.Approval) {
	answer, ok := person.Approve(a, wholeApproval(ctx, p, a))
	if !ok {
		answer = toolscript.ApprovalAnswer{Action: toolscript.ApprovalDeny, Reason: "the terminal was closed"}
	}
	if err := p.AnswerApproval(ctx, a.ID, answer, true); err != nil && ctx.Err() == nil {
		person.Say(err.Error())
	}
}

// gatewayPlace runs scripts in a gateway, which shows codes of approvals at the terminal of
// this process.
type gatewayPlace struct{ *app.Gateway }

// at returns the gateway as a place. If there is a person at the terminal, and no agent has opened it,
// approvals can be answered there.
func (o *Options) at(g *app.Gateway) HarnessPlace {
	person := o.Person()
	defer person.Close()
	if person == nil || o.Agent() != "" || runtime.GOOS != "linux" {
		return g
	}
	return gatewayPlace{g}
}

// Exec runs a script. The request names this process, so that the gateway finds its terminal.
func (p gatewayPlace) Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	req.Terminal = os.Getpid()
	return p.Gateway.Exec(ctx, req, emit)
}

// Approve sends the code that the person has read at the terminal. After a wrong code it asks again.
func (p gatewayPlace) Approve(ctx context.Context, person *terminal.Person, a toolscript.Approval) {
	for ctx.Err() == nil {
		answer, ok := person.Code(a, wholeApproval(ctx, p, a))
		if !ok {
			return // another command may answer
		}
		err := p.AnswerApproval(ctx, a.ID, answer)
		if err == nil || ctx.Err() != nil {
			return
		}
		person.Say(err.Error())
		if kind := toolscript.KindOf(err); kind != toolscript.Forbidden && kind != toolscript.Busy {
			return
		}
	}
}

// wholeApproval returns a function that returns a request with all of its arguments. If the request no longer waits,
// the function returns a itself.
func wholeApproval(ctx context.Context, at interface {
	PendingApproval(ctx context.Context, id string) (toolscript.Approval, error)
}, a toolscript.Approval) func() toolscript.Approval {
	return func() toolscript.Approval {
		if all, err := at.PendingApproval(ctx, a.ID); err == nil {
			return all
		}
		return a
	}
}

// Approvals returns how runs in this process ask for approvals: at the terminal. Without a terminal, or if an
// agent has opened it, such calls are refused.
func (o *Options) Approvals() actors.Approvals {
	person := o.Person()
	defer person.Close()
	if person != nil && o.Agent() == "" {
		return actors.Approvals{}
	}
	return actors.Approvals{Refuse: NoPerson}
}
