package harness

import (
	"context"
	"fmt"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rescue"
)

// ask calls Options.Approve in a goroutine and passes on the answer. stop ends the context of the
// callback.
func (p *process) ask(ctx context.Context, a toolscript.Approval) (stop func()) {
	if p.options.Approve == nil {
		return func() {}
	}
	ctx, cancel := context.WithDeadline(ctx, a.Expires)
	go func() {
		defer cancel()
		if a.Cut > 0 {
			if whole, err := p.gateway.PendingApproval(ctx, a.ID); err == nil { // otherwise the call no longer waits
				a = whole
			}
		}
		answer := p.decided(ctx, a)
		if ctx.Err() == nil {
			// An error means that the request was answered elsewhere, or that the
			// approval could not be kept permanently; the gateway logs it.
			_ = p.gateway.AnswerApproval(ctx, a.ID, answer, true)
		}
	}()
	return cancel
}

// decided returns the answer of the callback. An invalid answer or a panic denies the call.
func (p *process) decided(ctx context.Context, a toolscript.Approval) (answer toolscript.ApprovalAnswer) {
	defer rescue.Catch(func(r *rescue.Error) {
		answer = toolscript.ApprovalAnswer{Action: toolscript.ApprovalDeny, Reason: fmt.Sprintf("Options.Approve has panicked: %.500v", r.Reason)}
	})
	answer = p.options.Approve(ctx, a)
	if err := answer.Validate(); err != nil {
		return toolscript.ApprovalAnswer{Action: toolscript.ApprovalDeny, Reason: fmt.Sprintf("the answer of Options.Approve is not valid: %.500v", err)}
	}
	return answer
}

// waits emits an ApprovalRequest and asks for the approval.
func (p *process) waits(ctx context.Context, scriptID, callID string, a toolscript.Approval) (stop func(), err error) {
	err = p.progress(ApprovalRequest{Type: "ApprovalRequest", ScriptID: scriptID, CallID: callID, Approval: a})
	if err != nil {
		return func() {}, err
	}
	return p.ask(ctx, a), nil
}

// progress passes on an item that is not part of the conversation.
func (p *process) progress(item Item) error {
	if p.options.Progress == nil {
		return p.emit(item)
	}
	p.options.Progress(item)
	return nil
}
