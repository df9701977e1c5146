package gateways

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/status"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type gatewayListOptions struct {
	*app.App
	form terminal.Form
}

// NewGatewayList returns the command gateway list.
func NewGatewayList(a *app.App) *cobra.Command {
	o := &gatewayListOptions{App: a}
	c := &cobra.Command{
		Use:   "list",
		Short: "List the gateways of this user, and those that were killed",
		Long: `List the gateways of this user on this host. Those that were killed are listed with
the command that removes what they have left.

toolscript status --all lists the hub and its shared servers too.`,
		Args: app.Takes(),
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	terminal.AddForm(c.Flags(), &o.form, "print them as JSON")
	return c
}

// ListedGateway is the public part of the entry of a gateway, without the capability.
type ListedGateway struct {
	URL       string    `json:"url"`
	Healthy   bool      `json:"healthy"`
	PID       int       `json:"pid"`
	Version   string    `json:"version"`
	Protocol  int       `json:"protocol"`
	StartedAt time.Time `json:"startedAt"`
	Session   string    `json:"session,omitempty"`
	Config    []string  `json:"config"`
	Command   string    `json:"command,omitempty"` // stops a silent gateway, or removes a stale entry

	stale bool // its process has ended
}

func (o *gatewayListOptions) run(ctx context.Context) error {
	places, err := o.Target.Places()
	if err != nil {
		return err
	}
	running, ended, err := places.Look()
	if err != nil {
		return err
	}
	gateways := make([]ListedGateway, 0, len(running)+len(ended))
	for _, e := range discovery.Serving(running) {
		gateways = append(gateways, examine(ctx, e))
	}
	for _, e := range ended {
		g := entryOf(e)
		g.stale, g.Command = true, "toolscript gateway prune"
		gateways = append(gateways, g)
	}
	for i := range gateways {
		gateways[i].Command = o.Again(gateways[i].Command)
	}
	if o.form.Structured() {
		return o.form.Write(o.Stdout, gateways)
	}
	if len(gateways) == 0 {
		return o.Print("No gateways running")
	}
	t := terminal.Table{Header: []string{"URL", "Health", "PID", "Version", "Started", "Session", "Configuration", status.RemoveTitle}, Command: status.RemoveTitle}
	for _, g := range gateways {
		t.Add(g.URL, g.health(), strconv.Itoa(g.PID), g.Version, g.StartedAt.Local().Format(time.DateTime), g.Session, strings.Join(g.Config, ", "), g.Command)
	}
	return t.Write(o.Stdout, terminal.Columns(o.Stdout), nil)
}

func (g ListedGateway) health() string {
	switch {
	case g.Healthy:
		return "ok"
	case g.stale:
		return discovery.Stale
	default:
		return discovery.Silent
	}
}

func entryOf(e discovery.Entry) ListedGateway {
	return ListedGateway{
		URL: e.Address(), PID: e.PID, Version: e.Version, Protocol: e.Protocol,
		StartedAt: e.StartedAt, Session: e.Session, Config: e.Config,
	}
}

// examine describes the gateway of an entry, and checks whether it answers.
func examine(ctx context.Context, e discovery.Entry) ListedGateway {
	l := entryOf(e)
	g, err := app.Dial(ctx, e.URL)
	if err != nil {
		l.Command = toolscript.Command("gateway", "stop", "-g", l.URL)
		return l
	}
	g.Close()
	l.Healthy = true
	return l
}
