package api

import (
	"context"
	"net/url"

	"github.com/toolscript/toolscript"
)

// PendingApprovals returns the calls that wait for the approval of a person, the oldest
// first.
func (c *Client) PendingApprovals(ctx context.Context) ([]toolscript.Approval, error) {
	return get[[]toolscript.Approval](ctx, c, "/approvals")
}

// PendingApproval returns one pending approval with all of its arguments.
func (c *Client) PendingApproval(ctx context.Context, id string) (toolscript.Approval, error) {
	return get[toolscript.Approval](ctx, c, "/approvals/"+url.PathEscape(id))
}

// AnswerApproval answers a call that waits for the approval of a person. An answer that
// allows the call needs the code that the gateway has shown to the person.
func (c *Client) AnswerApproval(ctx context.Context, id string, answer toolscript.ApprovalAnswer) error {
	return c.tell(ctx, "/approvals/"+url.PathEscape(id), answer)
}

// ConfirmApproval has the gateway show the code of a request at the terminal of a process.
// The error is Forbidden if the configuration does not allow that, or if the terminal may
// not belong to a person.
func (c *Client) ConfirmApproval(ctx context.Context, id string, pid int) error {
	return c.tell(ctx, "/approvals/"+url.PathEscape(id)+"/confirm", Confirmation{pid})
}
