package hub

import (
	"context"
	"log/slog"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/hub"
)

type hubOptions struct {
	*app.App
	serve    string // file with servers for a fleet
	runners  int    // sandboxes for a fleet
	metrics  int    // port of the metrics
	onDemand bool   // a gateway has started it
	logFile  string
	form     terminal.Form
}

// report has the options of commands that only print a result.
type report struct {
	*app.App
	form terminal.Form
}

// New makes the command that runs a hub. Its subcommands manage the hub.
func New(a *app.App) *cobra.Command {
	o := &hubOptions{App: a}
	c := &cobra.Command{
		Use:   "hub",
		Short: "Run the shared servers of this user, or manage the process that does",
		Long: `Run the shared servers of this user until the command is interrupted.

A server with "shared": true in .toolscript.json runs once, in the hub, for all gateways
of this user on this host. A gateway starts the hub when it needs one, so you need this
command only for a service. If a hub runs already, the command ends with exit code 1.

A hub that a gateway has started ends when no gateway has used it for hub.idle of
~/.toolscript.json, 5 minutes if it is not set. A shared server that no gateway has used
for that time ends too.

With --serve or --runners it is a hub of a fleet instead: it connects to the NATS cluster of
"fleet" in the file, or else in ~/.toolscript.json, and gateways on other machines use its
servers and sandboxes. It reads the file again at SIGHUP.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return app.UnknownCommand(c, args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			if o.serve != "" || c.Flags().Changed("runners") {
				return o.serveFleet(c.Context())
			}
			return o.run(c.Context())
		},
	}
	f := c.Flags()
	f.StringVar(&o.serve, "serve", "", "offer the servers of this `file` to a fleet")
	f.IntVar(&o.runners, "runners", 0, "run up to `N` scripts of gateways of the fleet at a time")
	f.IntVar(&o.metrics, "metrics-port", 0, "serve /metrics and /health at this `PORT` of 127.0.0.1")
	terminal.AddForm(f, &o.form, "print the process as one line of JSON when gateways can find it")
	f.BoolVar(&o.onDemand, "on-demand", false, "end when no gateway uses it")
	f.StringVar(&o.logFile, "log-file", "", "log to this `file`")
	for _, name := range []string{"on-demand", "log-file"} {
		f.Lookup(name).Hidden = true
	}
	f.SetInterspersed(false)
	c.AddCommand(newHubStop(a), newHubDrain(a), newHubRelease(a), newHubCredentials(a))
	return c
}

// StartedHub is the output of hub with --json.
type StartedHub struct {
	PID  int `json:"pid"`
	Port int `json:"port,omitempty"` // port for NATS clients
}

func (o *hubOptions) run(ctx context.Context) error {
	if log, err := (&discovery.LaunchOptions{LogFile: o.logFile}).Log(); err != nil {
		return err
	} else if log != nil {
		o.Stderr = log
	}
	settings, err := config.LoadHub(o.Host.ConfigOptions(false))
	if err != nil {
		return err
	}
	place, err := PlaceOf(o.App)
	if err != nil {
		return err
	}
	return ServeLocal(ctx, LocalOptions{
		Place: place, Host: o.Host, Logger: o.Logger(slog.LevelInfo), Log: o.logFile,
		Idle: settings.Idle, Port: settings.Port, Stay: !o.onDemand, EndUnused: o.HangupSignals(), Ready: o.ready, Metrics: o.metrics,
	})
}

// ready prints that gateways can find the hub, for the user or the program that has started it.
func (o *hubOptions) ready(e Entry) error {
	if o.form.Structured() {
		err := o.form.Write(o.Stdout, StartedHub{PID: e.PID, Port: e.Port})
		if o.onDemand {
			return nil // the gateway may have stopped waiting, and finds the hub by its file
		}
		return err
	}
	return o.Print("Hub for shared servers running (PID %d)", e.PID)
}

// PlaceOf returns the place of the files of this user's hub.
func PlaceOf(a *app.App) (Place, error) {
	places, err := a.Target.Places()
	if err != nil {
		return Place{}, err
	}
	data, err := config.DataDir(a.Host.Config)
	return NewPlace(places, data), err
}

// NewFinder returns a function that returns the running hub, and starts one if there is none.
func NewFinder(a *app.App) func(context.Context) (hub.Endpoint, error) {
	return func(ctx context.Context) (hub.Endpoint, error) {
		place, err := PlaceOf(a)
		if err != nil {
			return hub.Endpoint{}, err
		}
		return Finder{Place: place, Launch: func(ctx context.Context) error { return launchHub(ctx, a) }}.Find(ctx)
	}
}

// ofSession are variables of one session, which the hub of all sessions must not have.
var ofSession = []string{"CLAUDE_CODE_SESSION_ID=", "SESSION_ID=", "TOOLSCRIPT_GATEWAY_URL=", "TOOLSCRIPT_CONFIG="}

// launchHub starts a hub that outlives this process. The hub runs in the home folder, so that it keeps no
// other folder in use.
func launchHub(ctx context.Context, a *app.App) error {
	self, err := files.Own()
	if err != nil {
		return err
	}
	data, err := config.DataDir(a.Host.Config)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), self, "hub", "--on-demand", "--json", "--data-dir", data) //nolint:gosec // this program
	cmd.Dir = a.Getenv("HOME")
	cmd.Env = slices.DeleteFunc(discovery.LaunchEnv(a.Env, ""), func(entry string) bool {
		return slices.ContainsFunc(ofSession, func(prefix string) bool { return strings.HasPrefix(entry, prefix) })
	})
	return a.Launcher().LaunchHub(cmd)
}

// EndUnusedServers makes a running hub end the servers that no gateway uses.
func EndUnusedServers(a *app.App) error {
	place, err := PlaceOf(a)
	if err != nil {
		return err
	}
	e, running, err := place.Read()
	if err != nil || !running {
		return err
	}
	return e.Hangup()
}
