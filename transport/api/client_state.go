package api

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/toolscript/toolscript"
)

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
	var refusal errorBody // a 503 is no error here, unless its body has a kind
	if resp.StatusCode != http.StatusOK && (json.Unmarshal(body, &refusal) != nil || refusal.Kind != "") {
		return r, c.refused(resp, body)
	}
	return r, c.parse(body, &r)
}

// Status returns the state of the whole gateway.
func (c *Client) Status(ctx context.Context) (toolscript.Status, error) {
	return get[toolscript.Status](ctx, c, "/status")
}

// Variables returns the names of the variables that the gateway's configuration refers to.
func (c *Client) Variables(ctx context.Context) ([]string, error) {
	v, err := get[reloadVariables](ctx, c, "/reload")
	return v.Variables, err
}

// Reload makes the gateway read its configuration again. env holds values of variables that
// the configuration refers to.
func (c *Client) Reload(ctx context.Context, env map[string]string) (toolscript.Reload, error) {
	return post[toolscript.Reload](ctx, c, "/reload", reloadRequest{env})
}

// PlanReload returns what Reload would do, and changes nothing.
func (c *Client) PlanReload(ctx context.Context, env map[string]string) (toolscript.ReloadPlan, error) {
	return post[toolscript.ReloadPlan](ctx, c, "/reload/plan", reloadRequest{env})
}

// Servers returns all configured servers, sorted by name. Before that, the gateway waits up
// to wait for the connecting servers that f selects.
func (c *Client) Servers(ctx context.Context, f toolscript.Filter, wait time.Duration) ([]toolscript.ServerStatus, error) {
	return get[[]toolscript.ServerStatus](ctx, c, "/servers?"+selecting(f, wait).Encode())
}

// RestartServer ends the connection of a server with its process, connects again, and
// returns the status after the first attempt.
func (c *Client) RestartServer(ctx context.Context, name string) (toolscript.ServerStatus, error) {
	return ask[toolscript.ServerStatus](ctx, c, http.MethodPost, "/servers/"+url.PathEscape(name)+"/restart", nil)
}
