package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
)

// Tools returns the tools that f selects, sorted by id. It waits as Direct.Tools does.
func (c *Client) Tools(ctx context.Context, f toolscript.Filter, wait time.Duration) (Tools, error) {
	return get[Tools](ctx, c, "/tools?"+c.narrowed(selecting(f, wait)).Encode())
}

// AppTools returns the tools as Direct.AppTools does.
func (c *Client) AppTools(ctx context.Context) (Tools, error) {
	return get[Tools](ctx, c, "/tools?"+c.narrowed(url.Values{"apps": {"true"}}).Encode())
}

// Types returns the module of the tools that f selects. It waits as Tools does.
func (c *Client) Types(ctx context.Context, f toolscript.Filter, form Form, wait time.Duration) (Types, error) {
	query := c.narrowed(selecting(f, wait))
	query.Set("form", string(form))
	return get[Types](ctx, c, "/types?"+query.Encode())
}

func selecting(f toolscript.Filter, wait time.Duration) url.Values {
	query := url.Values{}
	if f != nil {
		query.Set("filter", f.String())
	}
	if wait > 0 {
		query.Set("wait", min(wait, longestWait).String())
	}
	return query
}

// Search finds tools. q.Allow is not sent, because only scripts inside the gateway have it.
func (c *Client) Search(ctx context.Context, q toolscript.SearchQuery) (toolscript.SearchAnswer, error) {
	query := c.narrowed(url.Values{"q": {q.Text}})
	if q.Limit != 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	if q.Threshold != nil {
		query.Set("threshold", strconv.FormatFloat(*q.Threshold, 'g', -1, 64))
	}
	if len(q.Servers) > 0 {
		query.Set("server", strings.Join(q.Servers, ","))
	}
	for name, on := range map[string]bool{"readOnly": q.ReadOnly, "types": q.Types} {
		if on {
			query.Set(name, "true")
		}
	}
	return get[toolscript.SearchAnswer](ctx, c, "/search?"+query.Encode())
}

// SearchStats returns the counters of the search.
func (c *Client) SearchStats(ctx context.Context) (toolscript.SearchStats, error) {
	return get[toolscript.SearchStats](ctx, c, "/search/stats")
}

// Describe describes one tool.
func (c *Client) Describe(ctx context.Context, name string) (toolscript.ToolDescription, error) {
	return get[toolscript.ToolDescription](ctx, c, "/tools/"+url.PathEscape(name)+c.suffix())
}

// Refresh is like Describe, but first brings the list of tools up to date; see Backend.Reread.
func (c *Client) Refresh(ctx context.Context, name string) (toolscript.ToolDescription, error) {
	return get[toolscript.ToolDescription](ctx, c, "/tools/"+url.PathEscape(name)+"?"+c.narrowed(url.Values{"fresh": {"true"}}).Encode())
}

// CallTool makes one call and returns the whole MCP result. The capability identifies the
// run; call.Run is ignored.
func (c *Client) CallTool(ctx context.Context, call toolscript.Call) (json.RawMessage, error) {
	args := call.Args
	if len(args) == 0 {
		args = json.RawMessage(`{}`)
	}
	query := url.Values{}
	if call.FromApp {
		query.Set("apps", "true")
	}
	return c.ask(ctx, http.MethodPost, "/tools/"+url.PathEscape(call.ID)+"?"+c.narrowed(query).Encode(), args)
}
