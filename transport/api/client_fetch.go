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
	toolscript.ListSkills:    "/skills",
	toolscript.GetSkill:      "/skills/get",
	toolscript.ReadSkill:     "/skills/read",
}

// Fetch gets resources, prompts and skills, as Backend.Fetch does. The capability identifies the
// run; o.Run is ignored.
func (c *Client) Fetch(ctx context.Context, o toolscript.FetchRequest) (json.RawMessage, error) {
	query := c.narrowed(url.Values{})
	if o.Selected {
		query.Set("selected", "true")
	}
	if path, body := posted(o); path != "" {
		if len(query) > 0 {
			path += "?" + query.Encode()
		}
		answer, err := c.ask(ctx, http.MethodPost, path, body)
		return answer, err
	}
	for name, value := range map[string]string{"server": o.Server, "cursor": o.Cursor, "uri": o.URI} {
		if value != "" {
			query.Set(name, value)
		}
	}
	body, err := c.ask(ctx, http.MethodGet, fetchPaths[o.ID]+"?"+query.Encode(), nil)
	return body, err
}

// posted returns the path and the body of a request that is sent with POST; the path of any other
// is "".
func posted(o toolscript.FetchRequest) (path string, body json.RawMessage) {
	switch o.ID {
	case toolscript.GetPrompt:
		body, _ = json.Marshal(o.Args) // strings always have a JSON form
		if o.Args == nil {
			body = json.RawMessage(`{}`)
		}
		return "/prompts/" + url.PathEscape(o.Server) + "/" + url.PathEscape(o.Prompt), body
	case toolscript.Complete:
		body, _ = json.Marshal(Completion{o.Prompt, o.URI, o.Argument, o.Value, o.Args}) // it has only texts
		return "/completions/" + url.PathEscape(o.Server), body
	}
	return "", nil
}
