package gateway

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/toolscript/toolscript"
)

// offeredPaths are the routes of what is asked for with GET.
var offeredPaths = map[string]string{
	toolscript.ListResources: "/resources",
	toolscript.ListTemplates: "/resources/templates",
	toolscript.ReadResource:  "/resources/read",
	toolscript.ListPrompts:   "/prompts",
}

// Fetch asks for what servers offer beside tools, as Backend.Fetch does. Which
// run asks is decided by the capability, not by o.Run.
func (c *Client) Fetch(ctx context.Context, o toolscript.Offered) (json.RawMessage, error) {
	if o.ID == toolscript.GetPrompt {
		args, err := json.Marshal(o.Args)
		if err != nil || o.Args == nil {
			args = json.RawMessage(`{}`) // texts always marshal
		}
		body, _, err := c.ask(ctx, http.MethodPost, "/prompts/"+url.PathEscape(o.Server)+"/"+url.PathEscape(o.Prompt), args)
		return body, err
	}
	query := url.Values{}
	for name, value := range map[string]string{"server": o.Server, "cursor": o.Cursor, "uri": o.URI} {
		if value != "" {
			query.Set(name, value)
		}
	}
	body, _, err := c.ask(ctx, http.MethodGet, offeredPaths[o.ID]+"?"+query.Encode(), nil)
	return body, err
}
