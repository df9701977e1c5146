package harness

import (
	"context"
	"fmt"

	"github.com/toolscript/toolscript"
)

// ask has Options.Approve decide about a call, in a goroutine. stop ends the context of
// the callback.
func (p *process) ask(ctx context.Context, a toolscript.Approval) (stop func()) {
	if p.options.Approve == nil {
		return func() {}
	}
	ctx, cancel := context.WithDeadline(ctx, a.Expires)
	go func() {
		defer cancel()
		if a.Cut > 0 {
			if whole, err := p.gateway.PendingApproval(ctx, a.ID); err == nil { // else it does not wait any more
				a = whole
			}
		}
		answer := p.decided(ctx, a)
		if ctx.Err() == nil {
			// The error is that of a request which was answered elsewhere meanwhile, or of an
			// approval that is not kept for ever: the gateway logs it.
			_ = p.gateway.AnswerApproval(ctx, a.ID, answer, true)
		}
	}()
	return cancel
}

// decided calls the callback. An answer that is not valid, and a panic, deny the call.
func (p *process) decided(ctx context.Context, a toolscript.Approval) (answer toolscript.ApprovalAnswer) {
	defer func() {
		if r := recover(); r != nil {
			answer = toolscript.ApprovalAnswer{Action: toolscript.ApprovalDeny, Reason: fmt.Sprintf("Options.Approve has panicked: %.500v", r)}
		}
	}()
	answer = p.options.Approve(ctx, a)
	if err := answer.Validate(); err != nil {
		return toolscript.ApprovalAnswer{Action: toolscript.ApprovalDeny, Reason: fmt.Sprintf("the answer of Options.Approve is not valid: %.500v", err)}
	}
	return answer
}

// waits announces that a call waits for an approval, and asks for it.
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
