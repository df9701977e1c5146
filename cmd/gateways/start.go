// Package gateways has the commands that start, reload, restart and end gateways, and print their logs.
package gateways

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/live"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/confirm"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/mcp"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/transport/api"
	"github.com/toolscript/toolscript/transport/telemetry"
)

// settleTime is how long a gateway waits before it returns unused memory: after its start, and each time
// workers have ended or a server begins to rest.
const settleTime = 3 * time.Second

// heapRoom is the number of bytes of garbage that a gateway keeps while it works.
const heapRoom = 32 << 20

// StartOptions are the options of gateway start.
type StartOptions struct {
	*app.App
	port     app.Port
	Hostname string
	hosts    string // further host names, separated by commas
	noToken  bool
	tokenAt  string // file of the secret; "": a new secret
	form     terminal.Form
	Trust    bool
	force    bool
	detach   bool

	flags []string // flags that a new process repeats, see startFlags

	noObserve bool
	health    app.Duration
	idle      app.Duration
	search    app.Search
	results   app.Results
	Feed      *live.Feed
	Observed  *daemon.Watch // watches a server; nil: no server is watched
	discovery.LaunchOptions
}

// NewGatewayStart returns the command gateway start.
func NewGatewayStart(a *app.App) *cobra.Command {
	o := &StartOptions{App: a}
	c := &cobra.Command{
		Use:   "start",
		Short: "Run a gateway until it is interrupted",
		Long: `Run a gateway until it is interrupted.

The gateway connects to all configured servers. It prints its address, and the
variable that gives other commands and scripts access:

  Gateway server listening on http://127.0.0.1:PORT
  export TOOLSCRIPT_GATEWAY_URL=http://127.0.0.1:PORT/<capability>

The second line gives access to every tool: treat it as a password. Your commands
with the same configuration find the gateway without it.

If a gateway of this configuration and session is running, start prints its address
and ends with exit code 1; --force starts another gateway. The session is the value of
CLAUDE_CODE_SESSION_ID, else of SESSION_ID. Each session has its own gateway.

With --detach, start ends when the gateway runs, and the gateway goes on in the
background until toolscript gateway stop. Its log is that of toolscript logs.`,
		Args: app.Takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			o.flags = startFlags(c.Flags())
			return o.run(c.Context())
		},
	}
	f := c.Flags()
	f.VarP(&o.port, "port", "p", "port to listen on; 0 is any free port (default 0)")
	f.StringVarP(&o.Hostname, "hostname", "H", "localhost", "`address` to listen on")
	f.StringVar(&o.hosts, "allowed-hosts", "", "further `names` of the gateway in the Host header, separated by commas, such as host.docker.internal or localhost:8080")
	f.StringVar(&o.tokenAt, "token-file", "", "`file` of the secret, so that a restart keeps it; created if it does not exist")
	f.BoolVar(&o.noToken, "no-token", false, "let every user of this machine call every tool; for tests")
	app.AddTrust(f, &o.Trust)
	terminal.AddForm(f, &o.form, "print the address as one line of JSON")
	f.BoolVar(&o.force, "force", false, "start a gateway even if a gateway runs for this configuration")
	f.BoolVarP(&o.detach, "detach", "d", false, "leave the gateway in the background")
	f.BoolVar(&o.noObserve, "no-observe", false, "do not remember the form of the results of tools without an output schema")
	f.Var(&o.health, "health-interval", "time between two health checks of an idle server (default 30s)")
	f.Var(&o.idle, "worker-idle", "time without scripts after which the worker processes end (default 5m, less with more than 4 gateways)")
	o.search.Add(f)
	o.results.Add(f, "search-", "", "")
	o.AddHidden(f)
	app.FromEnvironment(f, "port", "TOOLSCRIPT_PORT")
	app.FromEnvironment(f, "allowed-hosts", "TOOLSCRIPT_ALLOWED_HOSTS")
	app.FromEnvironment(f, "token-file", "TOOLSCRIPT_TOKEN_FILE")
	app.FromEnvironment(f, "health-interval", "TOOLSCRIPT_HEALTH_INTERVAL")
	return c
}

func (o *StartOptions) run(ctx context.Context) error {
	if log, err := o.Log(); err != nil {
		return err
	} else if log != nil {
		o.Stderr = log
	}
	loaded, err := o.Host.Load(o.Trust)
	if err != nil {
		return err
	}
	begun, err := o.begin(ctx, loaded)
	if err != nil {
		return err
	}
	defer begun()
	if len(loaded.Servers) == 0 && !loaded.Settings.Fleet.All() {
		o.Warn("%v", o.Host.NoServers(loaded))
	}
	if o.detach {
		begun() // ends the lock, which the gateway in the background needs
		return o.leave(ctx, loaded)
	}
	o.Feed = live.NewFeed()
	logger := slog.New(o.Feed.Handler(o.LoggerTo(o.kept(), slog.LevelInfo).Handler()))
	ctx, cancel := o.Watch(ctx, logger)
	defer cancel()
	g, err := o.Open(loaded, logger)
	if err != nil {
		return err
	}
	entry := o.Announce(g.Server, loaded, logger)
	defer entry.Remove()
	begun()
	serving := make(chan error, 1)
	go func() { serving <- g.Server.Serve() }()
	go g.Daemon.ReloadOn(ctx, o.HangupSignals())
	if err := o.tell(g.Server); err != nil {
		return errors.Join(err, g.Stop())
	}
	select {
	case err = <-serving:
		return errors.Join(err, g.Stop())
	case <-ctx.Done():
		logger.Info("gateway stopping")
		return g.Stop()
	}
}

// tell prints the address of the gateway.
func (o *StartOptions) tell(server *api.Server) error {
	if !o.form.Structured() {
		return o.Print("Gateway server listening on %s\nexport TOOLSCRIPT_GATEWAY_URL=%s", server.BaseURL(), server.URL())
	}
	err := o.form.Write(o.Stdout, discovery.Started{URL: server.BaseURL(), GatewayURL: server.URL(), PID: os.Getpid()})
	if o.LogFile != "" {
		return nil // in the background, nobody may read the output any more: commands find the entry
	}
	return err
}

// kept returns the writer of the log: the standard error, which is a file for a gateway in the background. A
// gateway in the foreground also writes to a file, for toolscript logs.
func (o *StartOptions) kept() io.Writer {
	if o.LogFile != "" {
		return o.Stderr
	}
	file, err := o.Launcher().Log()
	if err != nil {
		o.Warn("the log is not stored: %v", err)
		return o.Stderr
	}
	o.Foreground = file.Path()
	return io.MultiWriter(file, o.Stderr)
}

// leave starts the gateway in the background and prints its address.
func (o *StartOptions) leave(ctx context.Context, loaded *config.Config) error {
	args := slices.Concat([]string{"gateway", "start"}, o.flags, []string{"--json"})
	if o.force {
		args = append(args, "--force")
	}
	if o.port > 0 {
		args = append(args, "--port", o.port.String())
	}
	cmd, err := inBackground(ctx, o.App, args, o.Dir, discovery.Session(o.LookupEnv))
	if err != nil {
		return err
	}
	started, err := o.Launcher().Launch(cmd)
	switch {
	case err != nil:
		return cmp.Or(o.Alone(ctx, loaded), err) // another process was quicker
	case o.form.Structured():
		return o.form.Write(o.Stdout, started)
	case started.PID == 0:
		return o.Print("The gateway is still starting; for its log: toolscript logs")
	}
	return o.Print("Gateway server listening on %s (PID %d)\nexport TOOLSCRIPT_GATEWAY_URL=%s", started.URL, started.PID, started.GatewayURL)
}

// inBackground returns the command that runs this program with args, in a folder and for a session. It
// outlives this process.
func inBackground(ctx context.Context, a *app.App, args []string, dir, session string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), self, args...) //nolint:gosec // this program
	cmd.Dir = dir
	if err := a.Admit(args, dir); err != nil { // this process was allowed to use these flags
		return nil, err
	}
	cmd.Env = discovery.LaunchEnv(a.Env, session)
	if session == "" { // this command may be in a session, whose variable must not be inherited
		cmd.Env = append(cmd.Env, "SESSION_ID=")
	}
	return cmd, nil
}

// overSearch applies the flags to the settings of the files.
func (o *StartOptions) overSearch(s *config.Search) {
	o.search.Over(s)
	o.results.Over(s)
}

// Running is a gateway with its listener and its servers.
type Running struct {
	Daemon *daemon.Daemon
	Server *api.Server

	stopAgents func()              // ends the MCP server
	metrics    *telemetry.Endpoint // server of the separate port; nil: there is none
}

// serveMetrics serves the metrics on a separate port; if port is 0, it does nothing. Another gateway of the
// same user may have the port, so an error is only a warning.
func (g *Running) serveMetrics(port int, logger *slog.Logger) {
	if port == 0 {
		return
	}
	metrics, err := api.ListenMetrics(g.Daemon.Measures, nil, port, logger)
	if err != nil {
		logger.Warn("telemetry.metrics.port of the configuration is not served; GET /metrics of the gateway is", slog.String("error", err.Error()))
		return
	}
	g.metrics = metrics
	logger.Info("metrics are served", slog.String("url", metrics.URL()))
}

// sharers returns a function that counts this user's gateways on this machine; nil if --worker-idle is given.
func (o *StartOptions) sharers() func() int {
	places, err := o.Target.Places()
	if err != nil || o.idle > 0 {
		return nil
	}
	return func() int {
		running, _, _ := places.Look() // without the folder, there are no others
		return len(running)
	}
}

// Open starts a gateway. It binds the port before it starts servers, because the port may be in use.
func (o *StartOptions) Open(loaded *config.Config, logger *slog.Logger) (*Running, error) {
	listener, err := api.Listen(o.Hostname, int(o.port))
	if err != nil {
		return nil, err
	}
	token, err := o.token()
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	if o.noToken {
		logger.Warn("no token: every program on this machine can call every tool")
	}
	g := &Running{}
	changes, changed := daemon.ChangeSignal()
	proc.SpareCollections(heapRoom)
	shrink := time.AfterFunc(settleTime, proc.ShrinkMemory)
	g.Daemon, err = o.Host.Start(loaded, daemon.Options{
		Trust: o.Trust, Search: o.overSearch, Logger: logger, MCP: true, Telemetry: true, Watch: o.Observed, Changed: changed,
		Actors: actors.Options{
			Rested: func() { shrink.Reset(settleTime) },
			Feed:   o.Feed, NoObserve: o.noObserve, HealthInterval: time.Duration(o.health), Approvals: o.approvals(),
			Scripts: actors.Scripts{Warm: true, URL: g.urlOf, IdleTime: time.Duration(o.idle), Sharers: o.sharers(), Idle: func() { shrink.Reset(settleTime) }},
		},
	})
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	entrance := mcp.EntranceOptions(o.App, o.Trust, mcp.OfProcess(g.Daemon, ""))
	entrance.Changes, entrance.Feed = changes, o.Feed
	agents, stopAgents := mcp.Handler(entrance)
	g.Server, err = api.New(g.Daemon, api.Options{
		Listener: o.Noting(listener), Token: token, Approver: api.NewToken(), Logger: logger, MCP: agents,
		Hosts:    strings.FieldsFunc(o.hosts, func(r rune) bool { return r == ',' || r == ' ' }),
		ShowLink: confirm.Link(o.Env, o.LookupEnv),
	})
	if err != nil {
		stopAgents()
		return nil, errors.Join(err, listener.Close(), g.Daemon.Stop())
	}
	g.stopAgents = stopAgents
	g.serveMetrics(loaded.Settings.Telemetry.MetricsPort, logger)
	warnOfNetwork(listener.Addr(), logger)
	return g, nil
}

// token returns the secret of the gateway; "" with --no-token.
func (o *StartOptions) token() (string, error) {
	switch {
	case o.noToken:
		return "", nil
	case o.tokenAt != "":
		return discovery.TokenOf(o.Absolute(o.tokenAt), o.Warn)
	case o.TokenFromStdin:
		return discovery.ReadToken(o.Stdin, "the standard input")
	default:
		return api.NewToken(), nil
	}
}

// urlOf returns the URL of the gateway with the capability of a run. It is called by runs, which begin after
// g.server is set.
func (g *Running) urlOf(capability string) string { return g.Server.BaseURL() + "/" + capability }

// Stop ends everything within daemon.StopTime. It ends the server and the daemon at the same time, because
// requests are answered when their MCP servers end.
func (g *Running) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), daemon.StopTime)
	defer cancel()
	g.stopAgents()
	if g.metrics != nil {
		_ = g.metrics.Close() // its connections end with it
	}
	shut := make(chan error, 1)
	go func() { shut <- g.Server.Shutdown(ctx) }()
	if err := errors.Join(g.Daemon.Close(ctx), <-shut); err != nil {
		return &app.StopError{Err: err}
	}
	return nil
}

// Announcement is the entry by which other commands find the gateway.
type Announcement struct {
	places discovery.Places
	entry  discovery.Entry
	logger *slog.Logger
}

// Announce writes the entry. Without an entry, the gateway is reachable by its URL only.
func (o *StartOptions) Announce(server *api.Server, loaded *config.Config, logger *slog.Logger) *Announcement {
	a := &Announcement{logger: logger}
	var err error
	if a.places, err = o.Target.Places(); err == nil {
		a.entry, err = a.places.Write(o.Describe(discovery.Entry{
			URL:     server.URL(),
			Session: discovery.Session(o.LookupEnv),
			Config:  config.Paths(loaded.Files),
			Start:   &discovery.Start{Args: o.flags, Dir: o.Dir},
		}))
	}
	if err != nil {
		logger.Warn("gateway entry not written", slog.String("error", err.Error()))
	}
	return a
}

// Remove removes the entry.
func (a *Announcement) Remove() {
	if len(a.entry.Folders) == 0 {
		return
	}
	if err := a.places.Remove(a.entry); err != nil {
		a.logger.Warn("gateway entry not removed", slog.String("error", err.Error()))
	}
}

// begin returns an error if a gateway for loaded runs. Otherwise, until end is called, no other process
// starts a gateway that would find this one, or that this one would find. With --force, there is neither a
// check nor a lock.
func (o *StartOptions) begin(ctx context.Context, loaded *config.Config) (end func(), err error) {
	places, err := o.Target.Places()
	if err != nil || o.force {
		return func() {}, nil //nolint:nilerr // announce warns about it
	}
	e := o.Describe(discovery.Entry{Session: discovery.Session(o.LookupEnv), Config: config.Paths(loaded.Files)})
	keys := append(e.Keys(), discovery.StartKey(e.Session, config.Paths(config.Effective(loaded.Files)))) // see same
	if end, err = places.Begin(ctx, keys...); err != nil {
		return nil, err
	}
	end = sync.OnceFunc(end)
	if err := o.Alone(ctx, loaded); err != nil {
		end()
		return nil, err
	}
	return end, nil
}

// Alone returns an error if a gateway of the same configuration and session, or of the same
// client, runs and answers.
func (o *StartOptions) Alone(ctx context.Context, loaded *config.Config) error {
	if o.force {
		return nil
	}
	places, err := o.Target.Places()
	if err != nil {
		return nil //nolint:nilerr // announce warns about it
	}
	entries, err := o.same(places, loaded)
	if err != nil {
		return nil //nolint:nilerr // announce warns about it
	}
	for _, e := range entries {
		g, err := app.Dial(ctx, e.URL)
		if err != nil {
			o.Warn("%v; starting another gateway", err)
			continue
		}
		g.Close()
		return &toolscript.Error{Kind: toolscript.Conflict, Err: fmt.Errorf(
			"a gateway runs for this configuration at %s (process %d), and other commands find it; to start another: toolscript gateway start --force",
			e.Address(), e.PID)}
	}
	return ctx.Err()
}

// same returns the gateways of this session for the files, else for the files that are not ignored. A gateway
// that belongs to a client does not count for another client, even if their sessions are the same.
func (o *StartOptions) same(places discovery.Places, loaded *config.Config) ([]discovery.Entry, error) {
	if client := o.Client(); client != nil {
		return places.Again(*client, config.Paths(loaded.Files))
	}
	session := discovery.Session(o.LookupEnv)
	entries, err := places.Same(session, config.Paths(loaded.Files))
	if len(entries) > 0 || err != nil || len(loaded.Hidden) > 0 {
		return entries, err
	}
	return places.Same(session, config.Paths(config.Effective(loaded.Files)))
}

// warnOfNetwork warns if other machines can reach the gateway. Without a token,
// api.New refuses to start there.
func warnOfNetwork(at net.Addr, logger *slog.Logger) {
	tcp, ok := at.(*net.TCPAddr)
	if !ok || tcp.IP.IsLoopback() {
		return
	}
	logger.Warn("other machines can reach this gateway: the secret in its URL protects it, and requests and answers, "+
		"the secret too, are not encrypted; leave out --hostname, or put a proxy with TLS before it",
		slog.String("address", at.String()))
}
