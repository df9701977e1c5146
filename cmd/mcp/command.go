package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/confirm"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/exec"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/api"
)

// settledWait bounds how long a request waits for servers that are connecting.
const settledWait = 10 * time.Second

// settledPoll is the interval of polling whether the servers have settled.
const settledPoll = 50 * time.Millisecond

// agentTokens is the limit of a value for an agent, in tokens, if the configuration has no limit.
const agentTokens = 5_000

// mcpOptions are the options of toolscript mcp.
type mcpOptions struct {
	*app.App
	trust bool
	http  bool
	form  terminal.Form

	changes <-chan struct{}
	changed func()

	mu  sync.Mutex
	own *daemon.Daemon // gateway of this process; nil until a request needs it
	end func()         // ends what reachable has begun
}

// New returns the command mcp.
func New(a *app.App) *cobra.Command {
	o := &mcpOptions{App: a}
	o.changes, o.changed = daemon.ChangeSignal()
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve search, types and scripts as an MCP server on stdio, or find it over HTTP",
		Long: `Serve search, types and scripts as an MCP server on stdio.

An agent gets three tools: search_tools finds tools of all configured servers,
describe_tools returns their TypeScript types, and run_script runs a script that
calls them. To register it with an agent:

  {"mcpServers": {"toolscript": {"command": "toolscript", "args": ["mcp"]}}}

A running gateway is used when there is one for this configuration. Otherwise the
servers run as long as this command.

A running gateway serves the same over streamable HTTP. --http prints its address,
which is valid until the gateway ends.`,
		Args: app.Takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.http {
				return o.address(c.Context())
			}
			return o.run(c.Context())
		},
	}
	app.AddTrust(c.Flags(), &o.trust)
	c.Flags().BoolVar(&o.http, "http", false, "print the address of the MCP server of the running gateway")
	terminal.AddForm(c.Flags(), &o.form, "with --http: the address as one line of JSON")
	return c
}

// mcpAddress is how a client reaches the MCP server of a gateway: by the URL with its
// capability, or by the endpoint with the header.
type mcpAddress struct {
	URL      string            `json:"url" yaml:"url"`
	Endpoint string            `json:"endpoint" yaml:"endpoint"`
	Headers  map[string]string `json:"headers" yaml:"headers"`
}

// address prints the address of the MCP server of the running gateway.
func (o *mcpOptions) address(ctx context.Context) error {
	g, err := o.Target.Require(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	base := "http://" + g.Host()
	capability := strings.TrimPrefix(strings.TrimPrefix(g.URL(), base), "/")
	path := api.MCPPath
	if o.Target.Profile != "" {
		if _, err := g.Tools(ctx, nil, 0); err != nil { // fails if the profile is unknown
			return err
		}
		path += "?" + url.Values{api.ProfileParameter: {o.Target.Profile}}.Encode()
	}
	a := mcpAddress{URL: g.URL() + path, Endpoint: base + path}
	if capability != "" {
		a.Headers = map[string]string{"Authorization": "Bearer " + capability}
	}
	if o.form.Structured() {
		return o.form.Write(o.Stdout, a)
	}
	text := "%s\n\nTo register it with an agent:\n\n  {\"mcpServers\": {\"toolscript\": {\"type\": \"http\", \"url\": \"%[1]s\"}}}\n"
	if capability == "" {
		return o.Print(text, a.URL)
	}
	return o.Print(text+`
The address gives access to every tool: treat it as a password. A client that sends
headers can use %s with the header
Authorization: Bearer %s`, a.URL, a.Endpoint, capability)
}

func (o *mcpOptions) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		o.stop()
	}()
	o.Host.Config.Unset = unsetBehindClient
	go o.connect(ctx)
	options := EntranceOptions(o.App, o.trust, o.forRequest)
	options.Running = o.running
	options.Session, options.Cwd, options.Changes = discovery.Session(o.LookupEnv), o.Dir, o.changes
	return Serve(ctx, o.Stdin, o.Stdout, options)
}

// unsetBehindClient returns what to do about variables that a shell may have, but that the client that
// started this process does not pass on.
func unsetBehindClient(server string, names []string) string {
	client := clients.OfProgram(confirm.ProgramAbove(os.Getppid()))
	return fmt.Sprintf("%s; or store the values: toolscript secret import FILE %s --for %s, and write ${secret:NAME} in place of ${NAME}",
		client.Pass(names), strings.Join(names, " "), server)
}

// EntranceOptions returns the options of an MCP server for the gateway that find returns.
func EntranceOptions(a *app.App, trust bool, find func(context.Context) (Gateway, func(), error)) Options {
	return Options{
		Gateway:   find,
		Pass:      exec.OffersPrompts(a, trust),
		TaskAfter: exec.TaskAfter(a, trust),
		Shorten: func(runID string, value json.RawMessage, tokens int) (json.RawMessage, []string) {
			return shorten(a, trust, runID, value, tokens)
		},
		Media: func(runID string, v json.RawMessage) ([]terminal.Medium, int) {
			blocks, bytes := exec.MediaLimits(a, trust)
			return terminal.Media(runID, v, blocks, bytes)
		},
		KeepOutput: func(runID string, text []byte) error {
			return a.Host.Outputs().Put(runID, kept.Output, text)
		},
		Kept:       a.Host.Outputs().Read,
		Error:      exec.ErrorText,
		Diagnostic: exec.DiagnosticText,
		Told:       a.ToAgent,
		Shown: func(tool, runID string, text []byte) {
			p := app.Printed{Command: tool, Run: runID}
			_, _ = p.Write(text) // Write returns no error
			a.Audit(p.Line())
		},
	}
}

// connect starts the servers before the first request needs them.
func (o *mcpOptions) connect(ctx context.Context) {
	if _, release, err := o.forRequest(ctx); err == nil {
		release()
	} // the request that needs the gateway reports the error
}

// forRequest returns a running gateway, or the gateway of this process, which it starts if necessary.
func (o *mcpOptions) forRequest(ctx context.Context) (Gateway, func(), error) {
	g, release, err := o.running(ctx)
	if g != nil || err != nil {
		return g, release, err
	}
	own, err := o.start(ctx)
	if err != nil {
		return nil, nil, err
	}
	return OfProcess(own, o.Target.Profile)(ctx)
}

// running returns the gateway of this process, else another running one; nil if there is none.
func (o *mcpOptions) running(ctx context.Context) (Gateway, func(), error) {
	o.mu.Lock()
	own := o.own
	o.mu.Unlock()
	if own != nil {
		return OfProcess(own, o.Target.Profile)(ctx)
	}
	g, err := o.Target.Shared(ctx, o.trust)
	if g == nil || err != nil {
		return nil, nil, err
	}
	settle(ctx, func() bool {
		health, err := g.Health(ctx)
		return err != nil || health.Search.Ready // the request reports the error
	})
	return g, g.Close, nil
}

// OfProcess returns a function that finds the gateway of this process, for a request. A profile in the
// request replaces profile.
func OfProcess(d *daemon.Daemon, profile string) func(context.Context) (Gateway, func(), error) {
	return func(ctx context.Context) (Gateway, func(), error) {
		settle(ctx, func() bool { return d.SearchStatus().Ready })
		used, allow, err := d.Profile(cmp.Or(ProfileOf(ctx), profile))
		return inProcess{api.Direct{Backend: d, Allow: allow, Profile: used}, whole{d}}, func() {}, err
	}
}

// inProcess is the gateway of this process, with the methods of Direct in place of those of the Daemon. Its MCP clients
// need a code to allow a call.
type inProcess struct {
	api.Direct
	whole
}

type whole struct{ *daemon.Daemon }

// Search implements Gateway.
func (p inProcess) Search(ctx context.Context, q toolscript.SearchQuery) (toolscript.SearchAnswer, error) {
	q.Allow = p.Allow
	return p.Daemon.Search(ctx, q)
}

// Fetch implements Gateway.
func (p inProcess) Fetch(ctx context.Context, o toolscript.FetchRequest) (json.RawMessage, error) {
	o.Allow = p.Allow
	return p.Daemon.Fetch(ctx, o)
}

// Watch implements Gateway.
func (p inProcess) Watch(ctx context.Context, q toolscript.WatchQuery, emit func([]toolscript.Change) error) error {
	q.Allow = p.Allow
	return p.Daemon.Watch(ctx, q, emit)
}

// AppTools implements Gateway.
func (p inProcess) AppTools(context.Context) (api.Tools, error) { return p.Direct.AppTools(), nil }

// Exec implements Gateway.
func (p inProcess) Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	req.Profile = p.Profile
	return p.Daemon.Exec(ctx, req, emit)
}

// Detach implements Gateway.
func (p inProcess) Detach(ctx context.Context, req toolscript.ExecRequest) (string, error) {
	req.Profile = p.Profile
	return p.Daemon.Detach(ctx, req)
}

// AnswerApproval implements Gateway.
func (p inProcess) AnswerApproval(ctx context.Context, id string, answer toolscript.ApprovalAnswer) error {
	return p.Daemon.AnswerApproval(ctx, id, answer, false)
}

// settle waits until ready reports that all servers have connected or failed and their tools can be found, at
// most settledWait.
func settle(ctx context.Context, ready func() bool) {
	ctx, cancel := context.WithTimeout(ctx, settledWait)
	defer cancel()
	for !ready() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(settledPoll):
		}
	}
}

// start starts the gateway of this process, unless it runs already.
func (o *mcpOptions) start(ctx context.Context) (*daemon.Daemon, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.own != nil || ctx.Err() != nil {
		return o.own, ctx.Err()
	}
	loaded, err := o.Host.Load(o.trust)
	if err != nil {
		return nil, err
	}
	logger := o.ownLogger()
	own, err := o.Host.Start(loaded, daemon.Options{
		Trust: o.trust, Logger: logger, MCP: true, Telemetry: true, Lent: o.Target.Lent(ctx, loaded), Changed: o.changed,
		Actors: actors.Options{Scripts: actors.Scripts{Warm: true}, Approvals: actors.Approvals{Refuse: exec.NoPerson}},
	})
	if err != nil {
		return nil, err
	}
	o.own, o.end = own, o.reachable(own, loaded, logger)
	return own, nil
}

// ownLogger returns a logger of warnings to stderr, which the client may show, and of more to a file, for
// toolscript logs.
func (o *mcpOptions) ownLogger() *slog.Logger {
	client := o.Logger(slog.LevelWarn)
	file, err := o.Launcher().Log()
	if err != nil {
		o.Warn("the log is not stored: %v", err)
		return client
	}
	return slog.New(slog.NewMultiHandler(client.Handler(), o.LoggerTo(file, slog.LevelInfo).Handler()))
}

func (o *mcpOptions) stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.own == nil {
		return
	}
	o.end()
	if err := o.own.Stop(); err != nil {
		o.Warn("%v", err)
	}
}

// shorten returns the part of a value that a model reads, and notices about the rest. tokens is the limit
// that the model asked for; 0: the limit of the configuration.
func shorten(a *app.App, trust bool, runID string, v json.RawMessage, tokens int) (json.RawMessage, []string) {
	var notices []string
	if configured, set := exec.ConfiguredTokens(a, trust); tokens == 0 && set {
		tokens = configured
	} else if tokens == 0 {
		tokens = agentTokens
	}
	p := terminal.ValuePrinter{Most: tokens * terminal.BytesPerToken, Describe: true, Keep: func(runID string, v []byte) error { return exec.KeepValue(a, runID, v) }}
	p.Say = func(format string, args ...any) { notices = append(notices, fmt.Sprintf(format, args...)) }
	text, part, _ := p.Text(runID, v) // without Dir there is no error
	switch {
	case part == nil:
	case !part.Cut:
		notices = nil // the descriptors in the value name the handles
	default:
		notice := fmt.Sprintf("the value is %d bytes of JSON; this is its beginning. Return less, or read resource %s",
			len(v), ValueURI(runID, 0, p.Most))
		if part.Next > 0 {
			notice += ", or go on with " + ReadOn(runID, part.Next)
		}
		notices = []string{notice}
	}
	return text, notices
}
