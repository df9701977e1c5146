package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/toolscript/toolscript"
)

// AcceptPins has the gateway ask a person to accept the present state of a server or of one
// of its tools. AnswerApproval answers the returned request.
func (c *Client) AcceptPins(ctx context.Context, what PinAcceptance) (request toolscript.Approval, err error) {
	body, err := json.Marshal(what)
	if err != nil {
		return request, invalid("the request cannot be encoded: %w", err)
	}
	return ask[toolscript.Approval](ctx, c, http.MethodPost, "/pins/accept", body)
}
