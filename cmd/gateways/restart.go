package gateways

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type gatewayRestartOptions struct {
	*app.App
	form terminal.Form
}

// NewGatewayRestart returns the command gateway restart.
func NewGatewayRestart(a *app.App) *cobra.Command {
	o := &gatewayRestartOptions{App: a}
	c := &cobra.Command{
		Use:   "restart",
		Short: "Stop the gateway of this session or configuration, and start it again",
		Long: `Stop the gateway of this session or configuration, or the one of --gateway-url, and
start it again with this version of toolscript.

The new gateway has the same address, secret, flags and working folder, so that other
commands and open sessions continue to use it. It runs in the background; its log is that of
toolscript logs. Variables of the configuration get their values from the environment
of this command. If the configuration has a mistake, the gateway is not stopped.

To read the configuration again, toolscript gateway reload is enough. A gateway that a
service manager has started is restarted by the service manager.`,
		Args: app.Takes(),
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	terminal.AddForm(c.Flags(), &o.form, "print the new gateway as JSON")
	return c
}

func (o *gatewayRestartOptions) run(ctx context.Context) error {
	places, err := o.Target.Places()
	if err != nil {
		return err
	}
	entries, err := addressed(o.App, places)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return app.ErrNone
	}
	e := entries[0] // the gateway that other commands use
	if e.Start == nil {
		return &toolscript.Error{Kind: toolscript.Unsupported, Err: fmt.Errorf("the gateway at %s is of toolscript %s, which cannot be restarted; stop it and start another: toolscript gateway stop", e.Address(), e.Version)}
	}
	if err := o.checkStart(ctx, *e.Start); err != nil {
		return fmt.Errorf("the gateway was not stopped: %w", err)
	}
	defer o.Waiting("restarting the gateway")()
	begun, err := places.Begin(ctx, e.Keys()...) // no other process starts a gateway in between
	if err != nil {
		return err
	}
	defer begun()
	if err := stopGateway(ctx, places, e); err != nil {
		return err
	}
	cmd, err := o.again(ctx, e)
	if err != nil {
		return err
	}
	started, err := o.Launcher().Launch(cmd)
	if err != nil {
		return fmt.Errorf("the gateway was stopped, and has not started again: %w", err)
	}
	return o.tell(e, started)
}

func (o *gatewayRestartOptions) tell(e discovery.Entry, started discovery.Started) error {
	if e.Foreground {
		o.Say("toolscript: the gateway runs in the background now; for its log: toolscript logs")
	}
	if o.form.Structured() {
		return o.form.Write(o.Stdout, StoppedGateway{URL: e.Address(), PID: started.PID})
	}
	if started.PID == 0 {
		return o.Print("The gateway at %s was stopped and is starting", e.Address())
	}
	return o.Print("Restarted the gateway at %s (PID %d)", e.Address(), started.PID)
}

// checkStart reads the configuration as the new gateway will. It warns about servers
// that cannot start.
func (o *gatewayRestartOptions) checkStart(ctx context.Context, start discovery.Start) error {
	probe := &app.App{State: o.State, Notice: o.Notice}
	probe.Dir = start.Dir
	c := NewGatewayStart(probe)
	probe.AddGlobalFlags(c.Flags())
	if err := c.ParseFlags(start.Args); err != nil {
		return err
	}
	c.SetContext(ctx)
	if err := probe.Read(c); err != nil {
		return err
	}
	trust, _ := c.Flags().GetBool("trust") // the flag exists
	loaded, err := probe.Host.Load(trust)
	if err != nil {
		return err
	}
	for name, server := range loaded.Servers {
		if server.Problem != nil {
			o.Warn("%s will not start: %v", name, server.Problem)
		}
	}
	return nil
}

// again returns the command that starts a gateway as e was started, at the same address.
func (o *gatewayRestartOptions) again(ctx context.Context, e discovery.Entry) (*exec.Cmd, error) {
	u, err := url.Parse(e.URL)
	if err != nil {
		return nil, errors.New("the entry of the gateway has no valid address")
	}
	args := slices.Concat([]string{"gateway", "start"}, e.Start.Args, []string{"--port", u.Port(), "--json", "--force"})
	token := strings.Trim(u.Path, "/")
	if token != "" {
		args = append(args, "--token-from-stdin")
	}
	cmd, err := inBackground(ctx, o.App, args, e.Start.Dir, e.Session)
	if err != nil {
		return nil, err
	}
	cmd.Stdin = strings.NewReader(token + "\n")
	return cmd, nil
}

// startFlags returns the flags of gateway start that a new process repeats, including those that are set by
// variables. The log of the new process is another file, and the secret is in no argument.
func startFlags(f *pflag.FlagSet) []string {
	var args []string
	f.Visit(func(f *pflag.Flag) {
		if !slices.Contains([]string{"json", "output", "force", "detach", "port", "gateway-url", "log-file", "token-from-stdin"}, f.Name) {
			args = append(args, "--"+f.Name+"="+f.Value.String())
		}
	})
	return args
}
