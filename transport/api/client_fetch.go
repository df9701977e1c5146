package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/toolscript/toolscript"
)

// fetchPaths maps the id of a fetch to its route; all of them use GET.
var fetchPaths = map[string]string{
	toolscript.ListResources: "/resources",
	toolscript.ListTemplates: "/resources/templates",
	toolscript.ReadResource:  "/resources/read",
	toolscript.ListPrompts:   "/prompts",
}

// Fetch gets resources and prompts, as Backend.Fetch does. The capability identifies the
// run; o.Run is ignored.
func (c *Client) Fetch(ctx context.Context, o toolscript.FetchRequest) (json.RawMessage, error) {
	if o.ID == toolscript.GetPrompt {
		args, err := json.Marshal(o.Args)
		if err != nil || o.Args == nil {
			args = json.RawMessage(`{}`) // strings always marshal
		}
		body, err := c.ask(ctx, http.MethodPost, "/prompts/"+url.PathEscape(o.Server)+"/"+url.PathEscape(o.Prompt)+c.suffix(), args)
		return body, err
	}
	query := c.narrowed(url.Values{})
	for name, value := range map[string]string{"server": o.Server, "cursor": o.Cursor, "uri": o.URI} {
		if value != "" {
			query.Set(name, value)
		}
	}
	body, err := c.ask(ctx, http.MethodGet, fetchPaths[o.ID]+"?"+query.Encode(), nil)
	return body, err
}
