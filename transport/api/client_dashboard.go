package api

import (
	"context"
	"encoding/json"
	"net/http"
)

// ShowDashboard has the gateway show a link to its operator page to the person who uses
// this machine. The answer does not contain the link.
func (c *Client) ShowDashboard(ctx context.Context, by LinkRequest) (LinkShown, error) {
	body, err := json.Marshal(by)
	if err != nil {
		return LinkShown{}, invalid("the request cannot be encoded: %w", err)
	}
	return ask[LinkShown](ctx, c, http.MethodPost, "/dashboard", body)
}
