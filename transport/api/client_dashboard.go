package api

import (
	"context"
)

// ShowDashboard has the gateway show a link to its operator page to the person who uses
// this machine. The answer does not contain the link.
func (c *Client) ShowDashboard(ctx context.Context, by LinkRequest) (LinkShown, error) {
	return post[LinkShown](ctx, c, "/dashboard", by)
}
