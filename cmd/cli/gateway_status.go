package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/gateway"
)

type statusOptions struct {
	*app
	form form
}

func newGatewayStatus(a *app) *cobra.Command {
	o := &statusOptions{app: a}
	c := &cobra.Command{
		Use:   "status",
		Short: "Show whether the gateway runs",
		Args:  takes(),
		RunE:  func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	addForm(c.Flags(), &o.form, "print the state of all servers and actors as JSON")
	return c
}

func (o *statusOptions) run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	url, err := o.url()
	switch {
	case o.form.structured():
		return o.printJSONStatus(ctx, url, err)
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

// printJSONStatus prints the whole status, or an error object of the same form as the gateway's
// errors.
func (o *statusOptions) printJSONStatus(ctx context.Context, url string, err error) error {
	var status toolscript.Status
	if err == nil {
		client := gateway.NewClient(url)
		defer client.Close()
		status, err = client.Status(ctx)
	}
	if err == nil {
		return o.form.write(o.Stdout, status)
	}
	if err := o.form.write(o.Stdout, struct {
		Error string          `json:"error"`
		Kind  toolscript.Kind `json:"kind"`
	}{err.Error(), toolscript.KindOf(err)}); err != nil {
		return err
	}
	return &exitError{exitFailure}
}

// url is the URL of the gateway that other commands would use.
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

// tell prints the health, which needs no capability, and with a capability the servers
// too. It never prints the capability.
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
		return o.printRunning(ctx, address, capabilityURL, health)
	}
	if err := o.print("Status: %s\nURL: %s", status, address); err != nil {
		return err
	}
	return &exitError{exitFailure}
}

// printRunning prints the state of a running gateway and the servers that are not
// connected.
func (o *statusOptions) printRunning(ctx context.Context, address, capabilityURL, health string) error {
	client := gateway.NewClient(capabilityURL)
	defer client.Close()
	status, err := client.Status(ctx)
	if err != nil { // the capability is missing or old
		return o.print("Status: running\nURL: %s\nHealth: %s", address, health)
	}
	up := (time.Duration(status.UptimeSeconds) * time.Second).String()
	missing := unconnected(status.Servers)
	ready := len(status.Servers) - len(missing)
	tools := 0
	for _, s := range status.Servers {
		tools += s.Tools
	}
	if err := o.print("Status: running\nURL: %s\nVersion: %s, PID %d, for %s\nServers: %d of %d connected, %d tools\nSearch: %s",
		address, status.Version, status.PID, up, ready, len(status.Servers), tools, searchWords(status.Search)); err != nil {
		return err
	}
	for _, pool := range []struct{ id, name string }{{"checkers", "Checkers"}, {"sandboxes", "Sandboxes"}, {"denos", "Deno processes"}} {
		for _, actor := range status.Actors {
			if actor.Name != pool.id {
				continue
			}
			if err := o.print("%s: %s%s", pool.name, actor.State, after(", last error: ", actor.LastError)); err != nil {
				return err
			}
		}
	}
	for _, warning := range status.Warnings {
		if err := o.print("Warning: %s", oneLine(warning)); err != nil {
			return err
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err := o.print("\nNot connected:"); err != nil {
		return err
	}
	t := table{header: []string{"Server", "State", "Error"}}
	for _, s := range missing {
		t.add(s.Name, stateCell(s), s.Error)
	}
	return t.write(o.Stdout, columns(o.Stdout), o.paintState(1))
}

// after is a text after a label; "" if the text is empty.
func after(label, text string) string {
	if text == "" {
		return ""
	}
	return label + oneLine(text)
}

// searchWords describes how tools are found.
func searchWords(s toolscript.SearchStats) string {
	text := "by words"
	switch progress, indexing := strings.CutPrefix(s.State, "indexing "); {
	case indexing:
		text += ", and by meaning when all tools are indexed (" + progress + ")"
	case s.State == "hybrid":
		text += " and by meaning"
	}
	return text + after("; last error: ", s.LastError)
}

// addressOf is scheme, host and port of a gateway's URL.
func addressOf(capabilityURL string) (string, error) {
	u, err := url.Parse(capabilityURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", errors.New("this is not the URL of a gateway, which looks like http://127.0.0.1:PORT/CAPABILITY")
	}
	return u.Scheme + "://" + u.Host, nil
}

// maxHealth bounds the answer, which may come from any program.
const maxHealth = 64 << 10

// askHealth returns the status and the body of GET /health.
func askHealth(ctx context.Context, address string) (int, string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/health", nil)
	if err != nil {
		return 0, "", err
	}
	resp, err := (&http.Transport{}).RoundTrip(req) // without proxies and redirects
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxHealth))
	return resp.StatusCode, visible(strings.TrimSpace(string(body))), err
}
