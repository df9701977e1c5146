package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/gateway"
)

type statusOptions struct {
	*app
	json bool
}

func newGatewayStatus(a *app) *cobra.Command {
	o := &statusOptions{app: a}
	c := &cobra.Command{
		Use:   "status",
		Short: "Say whether the gateway runs",
		Args:  takes(),
		RunE:  func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	c.Flags().BoolVar(&o.json, "json", false, "print the state of all servers and actors as JSON")
	return c
}

func (o *statusOptions) run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	url, err := o.url()
	switch {
	case o.json:
		return o.tellJSON(ctx, url, err)
	case errors.Is(err, errNoGateway):
		if err := o.print("Status: not running (%v)", err); err != nil {
			return err
		}
		return &exitError{exitFailure}
	case err != nil:
		return err
	default:
		return o.tell(ctx, url)
	}
}

// tellJSON prints the whole status, or why there is none: in the words of the
// gateway's own errors, so that who reads JSON always gets some.
func (o *statusOptions) tellJSON(ctx context.Context, url string, err error) error {
	var status toolscript.Status
	if err == nil {
		client := gateway.NewClient(url)
		defer client.Close()
		status, err = client.Status(ctx)
	}
	if err == nil {
		return writeJSON(o.Stdout, status)
	}
	if err := writeJSON(o.Stdout, struct {
		Error string          `json:"error"`
		Kind  toolscript.Kind `json:"kind"`
	}{err.Error(), toolscript.KindOf(err)}); err != nil {
		return err
	}
	return &exitError{exitFailure}
}

// url is the gateway that other commands would ask first.
func (o *statusOptions) url() (string, error) {
	if o.gatewayURL != "" {
		return o.complete(o.gatewayURL)
	}
	entries, err := o.entries()
	if err != nil {
		return "", err
	}
	if len(entries) == 0 {
		return "", errNoGateway
	}
	return entries[0].URL, nil
}

// tell asks for the health alone. That needs no capability, so an address
// without one will do, and none is shown.
func (o *statusOptions) tell(ctx context.Context, capabilityURL string) error {
	address, err := addressOf(capabilityURL)
	if err != nil {
		return err
	}
	code, health, err := askHealth(ctx, address)
	var status string
	switch {
	case err != nil:
		status = fmt.Sprintf("not running (%v)", err)
	case code != http.StatusOK:
		status = fmt.Sprintf("unhealthy (HTTP %d)", code)
	default:
		return o.print("Status: running\nURL: %s\nHealth: %s", address, health)
	}
	if err := o.print("Status: %s\nURL: %s", status, address); err != nil {
		return err
	}
	return &exitError{exitFailure}
}

// addressOf is scheme, host and port of a gateway's URL.
func addressOf(capabilityURL string) (string, error) {
	u, err := url.Parse(capabilityURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", errors.New("the gateway's URL is none; it looks like http://127.0.0.1:PORT/CAPABILITY")
	}
	return u.Scheme + "://" + u.Host, nil
}

// maxHealth bounds what is read of an answer that may be anybody's.
const maxHealth = 64 << 10

// askHealth answers with the status and the body of GET /health.
func askHealth(ctx context.Context, address string) (int, string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/health", nil)
	if err != nil {
		return 0, "", err
	}
	resp, err := (&http.Transport{}).RoundTrip(req) // neither a proxy nor a redirect
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }() // only read
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxHealth))
	return resp.StatusCode, visible(strings.TrimSpace(string(body))), err
}
