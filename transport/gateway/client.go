package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
)

// Client asks a gateway over HTTP what a Backend answers in its process. Its
// errors have the kind that the gateway gave them, and Unavailable when no
// gateway answers; none of them holds the capability. It is safe for concurrent
// use.
type Client struct {
	base string // capability URL without a trailing slash
	host string // host:port, for messages
	err  error  // why there is no base
	http *http.Client
}

// dialTime is how long a connection to a gateway may take.
const dialTime = 5 * time.Second

// NewClient makes a client of the gateway at a capability URL. A URL that
// cannot be one is reported by every method.
func NewClient(capabilityURL string) *Client {
	c := &Client{http: &http.Client{
		Transport: &http.Transport{
			Proxy:               nil, // a proxy would see the capability
			DialContext:         (&net.Dialer{Timeout: dialTime}).DialContext,
			DisableCompression:  true,
			MaxIdleConnsPerHost: 16,
			IdleConnTimeout:     idleTimeout / 2, // before the gateway closes it
		},
		// A gateway never redirects; whatever does so must not get the capability.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	u, err := url.Parse(strings.TrimSpace(capabilityURL))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.RawQuery != "" || u.Fragment != "" {
		c.err = invalid("not a gateway's URL; it looks like http://127.0.0.1:PORT/CAPABILITY, as `toolscript gateway start` prints it")
		return c
	}
	c.base = strings.TrimRight(u.String(), "/")
	c.host = u.Host
	return c
}

// Host is host and port of the gateway, which may be shown and logged.
func (c *Client) Host() string { return c.host }

// Close closes connections that are kept for further requests.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Health asks whether the gateway runs, and which contract it speaks.
func (c *Client) Health(ctx context.Context) (Health, error) {
	return get[Health](ctx, c, healthPath)
}

// Ready asks which servers are connected. That some are not is no error.
func (c *Client) Ready(ctx context.Context) (Readiness, error) {
	var r Readiness
	resp, err := c.send(ctx, http.MethodGet, "/ready", nil)
	if err != nil {
		return r, err
	}
	defer closeBody(resp)
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return r, c.broken(ctx, err)
	}
	var refusal errorBody // 503 is an answer here, unless it says that it is an error
	if resp.StatusCode != http.StatusOK && (json.Unmarshal(body, &refusal) != nil || refusal.Kind != "") {
		return r, c.refused(resp, body)
	}
	return r, c.parse(body, &r)
}

// Status is the state of the whole gateway.
func (c *Client) Status(ctx context.Context) (toolscript.Status, error) {
	return get[toolscript.Status](ctx, c, "/status")
}

// Reload makes the gateway read its configuration again.
func (c *Client) Reload(ctx context.Context) (toolscript.Reload, error) {
	var r toolscript.Reload
	body, _, err := c.ask(ctx, http.MethodPost, "/reload", json.RawMessage(`{}`))
	if err != nil {
		return r, err
	}
	return r, c.parse(body, &r)
}

// Servers are all configured servers, sorted by name.
func (c *Client) Servers(ctx context.Context) ([]toolscript.ServerStatus, error) {
	return get[[]toolscript.ServerStatus](ctx, c, "/servers")
}

// Tools are the tools that f selects, sorted by id.
func (c *Client) Tools(ctx context.Context, f toolscript.Filter) ([]ToolInfo, error) {
	return get[[]ToolInfo](ctx, c, "/tools?filter="+url.QueryEscape(f.String()))
}

// Search finds tools that do what a query says. What it allows is not sent: that
// is for scripts inside the gateway.
func (c *Client) Search(ctx context.Context, q toolscript.SearchQuery) (toolscript.SearchAnswer, error) {
	query := url.Values{"q": {q.Text}}
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

// SearchStats are the figures of the search.
func (c *Client) SearchStats(ctx context.Context) (toolscript.SearchStats, error) {
	return get[toolscript.SearchStats](ctx, c, "/search/stats")
}

// Describe is what there is to know of one tool.
func (c *Client) Describe(ctx context.Context, name string) (toolscript.ToolDescription, error) {
	return get[toolscript.ToolDescription](ctx, c, "/tools/"+url.PathEscape(name))
}

// Runs are the last runs, the newest first.
func (c *Client) Runs(ctx context.Context) ([]toolscript.RunRecord, error) {
	return get[[]toolscript.RunRecord](ctx, c, "/runs")
}

// Run is the record of one run.
func (c *Client) Run(ctx context.Context, id string) (toolscript.RunRecord, error) {
	return get[toolscript.RunRecord](ctx, c, "/runs/"+url.PathEscape(id))
}

// RunOutput is what is kept of a run because it was over a limit.
func (c *Client) RunOutput(ctx context.Context, id string, q toolscript.OutputQuery) ([]byte, error) {
	part := "output"
	if q.Value {
		part = "value"
	}
	query := url.Values{"part": {part}, "range": {q.Range()}}
	kept, _, err := c.ask(ctx, http.MethodGet, "/runs/"+url.PathEscape(id)+"/output?"+query.Encode(), nil)
	return kept, err
}

// AbortRun ends a run that is under way, or the tasks that an ended one has left.
func (c *Client) AbortRun(ctx context.Context, id string) error {
	_, _, err := c.ask(ctx, http.MethodDelete, "/runs/"+url.PathEscape(id), nil)
	return err
}

// CallTool makes one call and answers with the whole MCP result. Which run it
// belongs to is decided by the capability, not by call.Run.
func (c *Client) CallTool(ctx context.Context, call toolscript.Call) (json.RawMessage, error) {
	args := call.Args
	if len(args) == 0 {
		args = json.RawMessage(`{}`)
	}
	body, _, err := c.ask(ctx, http.MethodPost, "/tools/"+url.PathEscape(call.ID), args)
	return body, err
}

// Types is a module and what it had to do without.
type Types struct {
	toolscript.Module
	WaitedFor []string // servers that were connecting
	Pending   []string // servers that still are: their tools are missing
}

// Types is the module of the tools that f selects. For up to wait, the gateway
// first waits for the servers that f names and that are connecting.
func (c *Client) Types(ctx context.Context, f toolscript.Filter, compact bool, wait time.Duration) (Types, error) {
	return c.module(ctx, url.Values{"filter": {f.String()}, "compact": {strconv.FormatBool(compact)}}, wait)
}

// Declarations are the .d.ts of that module; the rest is as for Types.
func (c *Client) Declarations(ctx context.Context, f toolscript.Filter, wait time.Duration) (Types, error) {
	return c.module(ctx, url.Values{"filter": {f.String()}, "declarations": {"true"}}, wait)
}

func (c *Client) module(ctx context.Context, query url.Values, wait time.Duration) (Types, error) {
	if wait > 0 {
		query.Set("wait", min(wait, longestWait).String())
	}
	text, header, err := c.ask(ctx, http.MethodGet, "/runtime/tools.ts?"+query.Encode(), nil)
	if err != nil {
		return Types{}, err
	}
	generation, _ := strconv.ParseUint(header.Get(headerGeneration), 10, 64) // 0 when unknown
	return Types{
		Module: toolscript.Module{
			Text:       string(text),
			ETag:       strings.Trim(strings.TrimPrefix(header.Get("ETag"), "W/"), `"`),
			Generation: generation,
		},
		WaitedFor: splitNames(header.Get(headerWaitedFor)),
		Pending:   splitNames(header.Get(headerPending)),
	}, nil
}

// get asks for JSON.
func get[T any](ctx context.Context, c *Client, path string) (T, error) {
	var v T
	body, _, err := c.ask(ctx, http.MethodGet, path, nil)
	if err != nil {
		return v, err
	}
	return v, c.parse(body, &v)
}

// ask makes a request and reads the whole answer.
func (c *Client) ask(ctx context.Context, method, path string, body []byte) ([]byte, http.Header, error) {
	resp, err := c.send(ctx, method, path, body)
	if err != nil {
		return nil, nil, err
	}
	defer closeBody(resp)
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, nil, c.broken(ctx, err)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, nil, c.refused(resp, answer)
	}
	return answer, resp.Header, nil
}

// send makes a request; a body is JSON. The caller closes the answer's body.
func (c *Client) send(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	if c.err != nil {
		return nil, c.err
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, invalid("the request cannot be made: %w", reason(err))
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req) //nolint:gosec // which gateway to ask is the user's choice
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	return resp, nil
}

func closeBody(resp *http.Response) {
	_ = resp.Body.Close() // it has been read, or given up
}

func (c *Client) parse(body []byte, v any) error {
	if err := json.Unmarshal(body, v); err != nil {
		return c.stranger(errNotGateway)
	}
	return nil
}
