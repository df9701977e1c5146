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

// Client sends the requests of the Backend interface to a gateway. Its errors have the
// kind that the gateway sent, or Unavailable if no gateway answers. No error has the
// capability in it. It is safe for concurrent use.
type Client struct {
	base string // capability URL without a trailing slash
	host string // host:port, for messages
	err  error  // of the URL
	http *http.Client
}

// dialTime bounds the connecting.
const dialTime = 5 * time.Second

// NewClient makes a client of the gateway at a capability URL. If the URL is wrong,
// every method returns the error.
func NewClient(capabilityURL string) *Client {
	c := &Client{http: &http.Client{
		Transport: &http.Transport{
			Proxy:               nil, // a proxy would see the capability
			DialContext:         (&net.Dialer{Timeout: dialTime}).DialContext,
			DisableCompression:  true,
			MaxIdleConnsPerHost: 16,
			IdleConnTimeout:     idleTimeout / 2, // shorter than the gateway's time
		},
		// A gateway never redirects. The target of a redirect must not get the
		// capability.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	u, err := url.Parse(strings.TrimSpace(capabilityURL))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.RawQuery != "" || u.Fragment != "" {
		c.err = invalid("not the URL of a gateway; `toolscript gateway start` prints it, such as http://127.0.0.1:PORT/CAPABILITY")
		return c
	}
	c.base = strings.TrimRight(u.String(), "/")
	c.host = u.Host
	return c
}

// Host is host and port of the gateway. It is not secret.
func (c *Client) Host() string { return c.host }

// URL is the URL of the gateway with the capability, without a trailing slash.
func (c *Client) URL() string { return c.base }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Health returns the version of the gateway and of its API.
func (c *Client) Health(ctx context.Context) (Health, error) {
	return get[Health](ctx, c, healthPath)
}

// Ready returns which servers are connected. Missing servers are not an error.
func (c *Client) Ready(ctx context.Context) (Readiness, error) {
	var r Readiness
	resp, err := c.send(ctx, http.MethodGet, "/ready", "", nil)
	if err != nil {
		return r, err
	}
	defer closeBody(resp)
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return r, c.broken(ctx, err)
	}
	var refusal errorBody // 503 is an answer here if it has no kind
	if resp.StatusCode != http.StatusOK && (json.Unmarshal(body, &refusal) != nil || refusal.Kind != "") {
		return r, c.refused(resp, body)
	}
	return r, c.parse(body, &r)
}

// Status is the state of the whole gateway.
func (c *Client) Status(ctx context.Context) (toolscript.Status, error) {
	return get[toolscript.Status](ctx, c, "/status")
}

// Variables are the names of the variables that the gateway's configuration refers
// to.
func (c *Client) Variables(ctx context.Context) ([]string, error) {
	v, err := get[reloadVariables](ctx, c, "/reload")
	return v.Variables, err
}

// Reload makes the gateway read its configuration again. env has values of variables
// that the configuration refers to.
func (c *Client) Reload(ctx context.Context, env map[string]string) (toolscript.Reload, error) {
	var r toolscript.Reload
	request, err := json.Marshal(reloadRequest{env})
	if err != nil {
		return r, err
	}
	body, err := c.ask(ctx, http.MethodPost, "/reload", request)
	if err != nil {
		return r, err
	}
	return r, c.parse(body, &r)
}

// RestartServer ends the connection of a server with its process, connects again, and
// returns the status after the first attempt.
func (c *Client) RestartServer(ctx context.Context, name string) (toolscript.ServerStatus, error) {
	var s toolscript.ServerStatus
	body, err := c.ask(ctx, http.MethodPost, "/servers/"+url.PathEscape(name)+"/restart", nil)
	if err != nil {
		return s, err
	}
	return s, c.parse(body, &s)
}

// Servers are all configured servers, sorted by name. For up to wait, the gateway
// first waits for the servers that f selects and that are connecting.
func (c *Client) Servers(ctx context.Context, f toolscript.Filter, wait time.Duration) ([]toolscript.ServerStatus, error) {
	return get[[]toolscript.ServerStatus](ctx, c, "/servers?"+selecting(f, wait).Encode())
}

// Tools are the tools that f selects, sorted by id. It waits as Servers does.
func (c *Client) Tools(ctx context.Context, f toolscript.Filter, wait time.Duration) (Tools, error) {
	return get[Tools](ctx, c, "/tools?"+selecting(f, wait).Encode())
}

// Types is the module of the tools that f selects. It waits as Servers does.
func (c *Client) Types(ctx context.Context, f toolscript.Filter, form Form, wait time.Duration) (Types, error) {
	query := selecting(f, wait)
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

// Search finds tools. q.Allow is not sent, because only scripts inside the gateway have
// it.
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

// SearchStats are the counters of the search.
func (c *Client) SearchStats(ctx context.Context) (toolscript.SearchStats, error) {
	return get[toolscript.SearchStats](ctx, c, "/search/stats")
}

// Describe describes one tool.
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

// RunOutput is the stored output of a run that exceeded a limit.
func (c *Client) RunOutput(ctx context.Context, id string, q toolscript.OutputQuery) ([]byte, error) {
	part := "output"
	if q.Value {
		part = "value"
	}
	query := url.Values{"part": {part}, "range": {q.Range()}}
	kept, err := c.ask(ctx, http.MethodGet, "/runs/"+url.PathEscape(id)+"/output?"+query.Encode(), nil)
	return kept, err
}

// AbortRun ends a run, or the tasks that an ended run has left.
func (c *Client) AbortRun(ctx context.Context, id string) error {
	_, err := c.ask(ctx, http.MethodDelete, "/runs/"+url.PathEscape(id), nil)
	return err
}

// CallTool makes one call and returns the whole MCP result. The run is that of the
// capability; call.Run is ignored.
func (c *Client) CallTool(ctx context.Context, call toolscript.Call) (json.RawMessage, error) {
	args := call.Args
	if len(args) == 0 {
		args = json.RawMessage(`{}`)
	}
	body, err := c.ask(ctx, http.MethodPost, "/tools/"+url.PathEscape(call.ID), args)
	return body, err
}

// get makes a GET request and decodes the JSON of the answer.
func get[T any](ctx context.Context, c *Client, path string) (T, error) {
	var v T
	body, err := c.ask(ctx, http.MethodGet, path, nil)
	if err != nil {
		return v, err
	}
	return v, c.parse(body, &v)
}

// ask makes a request and reads the whole answer. A body is JSON.
func (c *Client) ask(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	return c.askAs(ctx, method, path, mediaJSON, body)
}

func (c *Client) askAs(ctx context.Context, method, path, media string, body []byte) ([]byte, error) {
	resp, err := c.send(ctx, method, path, media, body)
	if err != nil {
		return nil, err
	}
	defer closeBody(resp)
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, c.broken(ctx, err)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, c.refused(resp, answer)
	}
	return answer, nil
}

const (
	mediaJSON  = "application/json"
	mediaBytes = "application/octet-stream"
)

// send makes a request; a POST has a body of a media type. The caller closes the
// answer's body.
func (c *Client) send(ctx context.Context, method, path, media string, body []byte) (*http.Response, error) {
	if c.err != nil {
		return nil, c.err
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, invalid("the request cannot be made: %w", reason(err))
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", media)
	}
	resp, err := c.http.Do(req) //nolint:gosec // the user chooses the gateway
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	return resp, nil
}

func closeBody(resp *http.Response) {
	_ = resp.Body.Close() // it was read, or is not needed
}

func (c *Client) parse(body []byte, v any) error {
	if err := json.Unmarshal(body, v); err != nil {
		return c.notGateway(errNotGateway)
	}
	return nil
}
