package api

import (
	"context"

	"github.com/toolscript/toolscript"
)

// AcceptPins has the gateway ask a person to accept the present state of a server or of one
// of its tools. AnswerApproval answers the returned request.
func (c *Client) AcceptPins(ctx context.Context, what PinAcceptance) (request toolscript.Approval, err error) {
	return post[toolscript.Approval](ctx, c, "/pins/accept", what)
}
