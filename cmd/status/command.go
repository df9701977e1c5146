package status

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/approvals"
	"github.com/toolscript/toolscript/cmd/doctor"
	"github.com/toolscript/toolscript/cmd/hub"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/api"
)

type statusOptions struct {
	*app.App
	noun  *noun // the part that is shown; nil: what status shows
	watch bool
	form  terminal.Form
}

// New returns the command status, with a command for each of its nouns.
func New(a *app.App) *cobra.Command {
	c := NewGatewayStatus(a)
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return app.UnknownCommand(c, args[0])
		}
		return nil
	}
	c.AddCommand(newServers(a, "servers"), newGateways(a), hub.NewStatus(a), hub.NewFleetStatus(a))
	for _, n := range nouns {
		c.AddCommand(newNoun(a, n))
	}
	return c
}

// NewGatewayStatus returns the command gateway status, which is status without its nouns.
func NewGatewayStatus(a *app.App) *cobra.Command {
	o := &statusOptions{App: a}
	c := &cobra.Command{
		Use:   "status",
		Short: "Show whether the gateway runs, and what needs attention",
		Long: `Show whether the gateway runs, and what needs attention.

With --watch, a terminal shows everything that happens in the gateway while it changes:
what needs your attention, servers, runs, calls that wait for you, calls, actors, the
search index, the log and MCP clients. The keys 1 to 9 change the view, / shows only rows
with a text, r restarts the server of the selected row, a aborts its run, and ? lists the
other keys. It stays when the gateway ends, and shows the next one. It needs a terminal of any size, with
or without colours (NO_COLOR). If the output is no terminal, each change is printed.`,
		Args: app.Takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.watch {
				return o.follow(c.Context())
			}
			return o.run(c.Context())
		},
	}
	o.addFlags(c, "print the state of all servers and actors as JSON")
	return c
}

func (o *statusOptions) addFlags(c *cobra.Command, json string) {
	c.Flags().BoolVar(&o.watch, "watch", false, "show it on the whole terminal while it changes; if the output is no terminal, print each change")
	terminal.AddForm(c.Flags(), &o.form, json)
}

func (o *statusOptions) run(ctx context.Context) error {
	shown := o.look(ctx)
	if _, err := io.WriteString(o.Stdout, shown.text); err != nil {
		return err
	}
	return shown.err
}

// look returns the present state of the gateway.
func (o *statusOptions) look(ctx context.Context) (shown appearance) {
	ctx, cancel := context.WithTimeout(ctx, app.HealthTime)
	defer cancel()
	url, err := o.url()
	var b strings.Builder
	switch {
	case o.form.Structured():
		shown.key, shown.err = o.writeStatus(ctx, &b, url, err)
	case errors.Is(err, app.ErrNone):
		fmt.Fprintf(&b, "Status: not running (%s)\n", o.Again(err.Error()))
		shown.err = &app.Error{Code: app.Failure}
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
	key  string // changes with the text, except for times
	err  error
}

// writeStatus writes the whole status, or an error object of the same form as the
// gateway's errors.
func (o *statusOptions) writeStatus(ctx context.Context, w io.Writer, url string, err error) (key string, _ error) {
	var status toolscript.Status
	if err == nil {
		client := api.NewClient(url)
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
	return err.Error(), &app.Error{Code: app.Failure}
}

// url returns the URL of the gateway that other commands would use.
func (o *statusOptions) url() (string, error) {
	if o.Target.URL != "" {
		return o.Target.Complete(o.Target.URL)
	}
	entries, err := o.Target.Entries()
	if err != nil {
		return "", err
	}
	if len(entries) == 0 {
		return "", app.ErrNone
	}
	return entries[0].URL, nil
}

// printStatus writes the health, which needs no capability, and with a capability the servers
// too. It never writes the capability.
func (o *statusOptions) printStatus(ctx context.Context, w io.Writer, capabilityURL string) (key string, _ error) {
	address, err := app.AddressOf(capabilityURL)
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
	return status, &app.Error{Code: app.Failure}
}

// printRunning writes the state of a running gateway.
func (o *statusOptions) printRunning(ctx context.Context, w io.Writer, address, capabilityURL, health string) (key string, _ error) {
	client := api.NewClient(capabilityURL)
	defer client.Close()
	status, err := client.Status(ctx)
	if err != nil { // the capability is missing or old
		_, err := fmt.Fprintf(w, "Status: running\nURL: %s\nHealth: %s\n", address, health)
		return health, err
	}
	_, err = io.WriteString(w, o.runningText(address, status))
	return o.runningKey(address, status), err
}

// runningText returns the state of a running gateway and what needs attention. With --watch, it has all
// servers, too.
func (o *statusOptions) runningText(address string, status toolscript.Status) string {
	up := (time.Duration(status.UptimeSeconds) * time.Second).String()
	tools := 0
	for _, s := range status.Servers {
		tools += s.Tools
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Status: running\nURL: %s\nVersion: %s, PID %d, for %s\nServers: %d of %d connected, %d tools\nSearch: %s\n",
		address, status.Version, status.PID, up, connected(status.Servers), len(status.Servers), tools, searchWords(status.Search))
	for _, pool := range []struct{ id, name string }{{"checkers", "Checkers"}, {"sandboxes", "Sandboxes"}, {"converters", "Converters"}, {"denos", "Deno processes"}} {
		for _, actor := range status.Actors {
			if actor.Name == pool.id {
				fmt.Fprintf(&b, "%s: %s%s\n", pool.name, actor.State, after(", last error: ", actor.LastError))
			}
		}
	}
	for _, s := range status.Servers {
		for _, line := range approvals.PinLines(s) {
			fmt.Fprintf(&b, "Warning: %s\n", o.Again(terminal.OneLine(line)))
		}
		if line := rateLine(s); line != "" {
			fmt.Fprintln(&b, terminal.OneLine(line))
		}
	}
	o.writeAttention(&b, status.Attention)
	o.writeServers(&b, status)
	return b.String()
}

// connected counts the servers whose tools can be called.
func connected(servers []toolscript.ServerStatus) (n int) {
	for _, s := range servers {
		if s.Serves() {
			n++
		}
	}
	return n
}

// mostAttention is the most problems that status prints.
const mostAttention = 20

// writeAttention writes each problem, and below it the command that fixes it.
func (o *statusOptions) writeAttention(b *strings.Builder, all []toolscript.Attention) {
	if len(all) == 0 {
		return
	}
	b.WriteString("\nNeeds attention:\n")
	for _, a := range all[:min(len(all), mostAttention)] {
		doctor.WriteProblem(o.App, b, string(a.Severity), a.Subject, o.Again(a.Problem), o.Again(a.Command))
	}
	if n := len(all) - mostAttention; n > 0 {
		b.WriteString(o.Again(fmt.Sprintf("and %d more; see: toolscript status --watch\n", n)))
	}
}

// writeServers writes a table: with --watch of all servers, else of the servers that are not ready and need
// no attention.
func (o *statusOptions) writeServers(b *strings.Builder, status toolscript.Status) {
	t := terminal.Table{Header: []string{"Server", "State"}}
	title := "\nNot running:\n" // including servers at rest, which count as connected
	if o.watch {
		t.Header, title = []string{"Server", "State", "Tools", "Calls"}, "\n"
	}
	rows := 0
	for _, s := range status.Servers {
		reported := slices.ContainsFunc(status.Attention, func(a toolscript.Attention) bool { return a.ID == "server/"+s.Name })
		if !o.watch && (reported || s.State == toolscript.Ready) {
			continue
		}
		row := []string{s.Name, app.StateCell(s)}
		if o.watch {
			calls := strconv.Itoa(s.InFlight)
			if s.Queued > 0 {
				calls += fmt.Sprintf(" (+%d)", s.Queued)
			}
			row = append(row, strconv.Itoa(s.Tools), calls)
		}
		t.Add(row...)
		rows++
	}
	if rows == 0 {
		return
	}
	b.WriteString(title)
	_ = t.Write(b, terminal.Columns(o.Stdout), o.PaintState(1)) // a Builder takes everything
}

// after returns label and text; "" if text is empty.
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

// maxHealth bounds the answer, which may come from any program, in bytes.
const maxHealth = 64 << 10

// askHealth returns the HTTP status and the body of GET /health.
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

// rateLine says that calls of a server wait because of its rate limit; "" if none do.
func rateLine(s toolscript.ServerStatus) string {
	r := s.RateLimit
	if r == nil || r.Waiting == 0 {
		return ""
	}
	calls := "calls wait"
	if r.Waiting == 1 {
		calls = "call waits"
	}
	return fmt.Sprintf("%s: %d %s because of its rate limit (%d per %s)", s.Name, r.Waiting, calls, r.Calls, time.Duration(r.PerMs)*time.Millisecond)
}
