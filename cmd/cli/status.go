package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/exit"
	"github.com/toolscript/toolscript/cmd/form"
	"github.com/toolscript/toolscript/cmd/target"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/gateway"
)

type statusOptions struct {
	*app
	watch bool
	form  form.Form
}

// newStatus makes the command status, and gateway status, which is the same.
func newStatus(a *app) *cobra.Command {
	o := &statusOptions{app: a}
	c := &cobra.Command{
		Use:   "status",
		Short: "Show whether the gateway runs, and its servers that are not connected",
		Args:  takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.watch {
				return o.follow(c.Context())
			}
			return o.run(c.Context())
		},
	}
	c.Flags().BoolVar(&o.watch, "watch", false, "show the state of all servers until Ctrl-C; if the output is no terminal, print each change")
	form.Add(c.Flags(), &o.form, "print the state of all servers and actors as JSON")
	return c
}

func (o *statusOptions) run(ctx context.Context) error {
	shown := o.look(ctx)
	if _, err := io.WriteString(o.Stdout, shown.text); err != nil {
		return err
	}
	return shown.err
}

// look is the state of the gateway now.
func (o *statusOptions) look(ctx context.Context) (shown appearance) {
	ctx, cancel := context.WithTimeout(ctx, target.HealthTime)
	defer cancel()
	url, err := o.url()
	var b strings.Builder
	switch {
	case o.form.Structured():
		shown.key, shown.err = o.writeStatus(ctx, &b, url, err)
	case errors.Is(err, target.ErrNone):
		fmt.Fprintf(&b, "Status: not running (%v)\n", err)
		shown.err = &exit.Error{Code: exit.Failure}
	case err != nil:
		shown.err = err
	default:
		shown.key, shown.err = o.printStatus(ctx, &b, url)
	}
	shown.text = b.String()
	return shown
}

// appearance is what status prints.
type appearance struct {
	text string
	key  string // changes when the text does, except for times
	err  error
}

// writeStatus writes the whole status, or an error object of the same form as the
// gateway's errors.
func (o *statusOptions) writeStatus(ctx context.Context, w io.Writer, url string, err error) (key string, _ error) {
	var status toolscript.Status
	if err == nil {
		client := gateway.NewClient(url)
		defer client.Close()
		status, err = client.Status(ctx)
	}
	if err == nil {
		return keyOf(status), o.form.Write(w, status)
	}
	if err := o.form.Write(w, struct {
		Error string          `json:"error"`
		Kind  toolscript.Kind `json:"kind"`
	}{err.Error(), toolscript.KindOf(err)}); err != nil {
		return "", err
	}
	return err.Error(), &exit.Error{Code: exit.Failure}
}

// keyOf is the status without the time that passes.
func keyOf(status toolscript.Status) string {
	status.UptimeSeconds = 0
	text, _ := json.Marshal(status) // it came as JSON
	return string(text)
}

// url is the URL of the gateway that other commands would use.
func (o *statusOptions) url() (string, error) {
	if o.target.URL != "" {
		return o.target.Complete(o.target.URL)
	}
	entries, err := o.target.Entries()
	if err != nil {
		return "", err
	}
	if len(entries) == 0 {
		return "", target.ErrNone
	}
	return entries[0].URL, nil
}

// printStatus writes the health, which needs no capability, and with a capability the servers
// too. It never writes the capability.
func (o *statusOptions) printStatus(ctx context.Context, w io.Writer, capabilityURL string) (key string, _ error) {
	address, err := addressOf(capabilityURL)
	if err != nil {
		return "", err
	}
	code, health, err := askHealth(ctx, address)
	var status string
	switch {
	case err != nil:
		status = fmt.Sprintf("not running (%v)", err)
	case code != http.StatusOK:
		status = fmt.Sprintf("unhealthy (HTTP %d)", code)
	default:
		return o.printRunning(ctx, w, address, capabilityURL, health)
	}
	if _, err := fmt.Fprintf(w, "Status: %s\nURL: %s\n", status, address); err != nil {
		return "", err
	}
	return status, &exit.Error{Code: exit.Failure}
}

// printRunning writes the state of a running gateway and its servers: those that are not
// connected, or with --watch all.
func (o *statusOptions) printRunning(ctx context.Context, w io.Writer, address, capabilityURL, health string) (key string, _ error) {
	client := gateway.NewClient(capabilityURL)
	defer client.Close()
	status, err := client.Status(ctx)
	if err != nil { // the capability is missing or old
		_, err := fmt.Fprintf(w, "Status: running\nURL: %s\nHealth: %s\n", address, health)
		return health, err
	}
	up := (time.Duration(status.UptimeSeconds) * time.Second).String()
	missing := unconnected(status.Servers)
	tools := 0
	for _, s := range status.Servers {
		tools += s.Tools
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Status: running\nURL: %s\nVersion: %s, PID %d, for %s\nServers: %d of %d connected, %d tools\nSearch: %s\n",
		address, status.Version, status.PID, up, len(status.Servers)-len(missing), len(status.Servers), tools, searchWords(status.Search))
	for _, pool := range []struct{ id, name string }{{"checkers", "Checkers"}, {"sandboxes", "Sandboxes"}, {"denos", "Deno processes"}} {
		for _, actor := range status.Actors {
			if actor.Name == pool.id {
				fmt.Fprintf(&b, "%s: %s%s\n", pool.name, actor.State, after(", last error: ", actor.LastError))
			}
		}
	}
	for _, warning := range status.Warnings {
		fmt.Fprintf(&b, "Warning: %s\n", terminal.OneLine(warning))
	}
	for _, s := range status.Servers {
		for _, line := range pinLines(s) {
			fmt.Fprintf(&b, "Warning: %s\n", terminal.OneLine(line))
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return "", err
	}
	return keyOf(status), o.printServers(w, status.Servers, missing)
}

func (o *statusOptions) printServers(w io.Writer, all, missing []toolscript.ServerStatus) error {
	t := terminal.Table{Header: []string{"Server", "State", "Error"}}
	title := "\nNot connected:\n"
	if o.watch {
		t.Header, title, missing = []string{"Server", "State", "Tools", "Calls", "Error"}, "\n", all
	}
	if len(missing) == 0 {
		return nil
	}
	for _, s := range missing {
		row := []string{s.Name, stateCell(s)}
		if o.watch {
			calls := strconv.Itoa(s.InFlight)
			if s.Queued > 0 {
				calls += fmt.Sprintf(" (+%d)", s.Queued)
			}
			row = append(row, strconv.Itoa(s.Tools), calls)
		}
		t.Add(append(row, s.Error)...)
	}
	if _, err := io.WriteString(w, title); err != nil {
		return err
	}
	return t.Write(w, terminal.Columns(o.Stdout), o.paintState(1))
}

// watchInterval is the time between two looks at the gateway.
const watchInterval = time.Second

// follow shows the state until the command is interrupted, which is not an error. A terminal
// shows it in place; other outputs get a text for each change.
func (o *statusOptions) follow(ctx context.Context) error {
	screen := terminal.Is(o.Stdout) && o.getenv("TERM") != "dumb"
	ticks := time.NewTicker(watchInterval)
	defer ticks.Stop()
	for last, first := "", true; ; first = false {
		shown := o.look(ctx)
		var exit *exit.Error
		if shown.err != nil && !errors.As(shown.err, &exit) && ctx.Err() == nil {
			return shown.err
		}
		text := shown.text
		switch {
		case ctx.Err() != nil:
			return nil
		case screen:
			text = inPlace(text, terminal.Rows(o.Stdout))
		case !first && shown.key == last:
			text = ""
		case !first && !o.form.Structured():
			text = "\n" + text
		case !first && o.form == form.YAML:
			text = "---\n" + text
		}
		last = shown.key
		if _, err := io.WriteString(o.Stdout, text); err != nil {
			return err
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// inPlace writes a text over the last one: it clears the rest of each line and of the
// screen. Lines that the screen has no place for are left out.
func inPlace(text string, height int) string {
	lines := strings.SplitAfter(text, "\n")
	if height > 1 && len(lines) > height {
		lines = lines[:height-1]
	}
	return "\x1b[H" + strings.ReplaceAll(strings.Join(lines, ""), "\n", "\x1b[K\n") + "\x1b[J"
}

// after is a text after a label; "" if the text is empty.
func after(label, text string) string {
	if text == "" {
		return ""
	}
	return label + terminal.OneLine(text)
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
	return resp.StatusCode, terminal.Visible(strings.TrimSpace(string(body))), err
}
