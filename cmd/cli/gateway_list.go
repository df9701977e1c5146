package cli

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/form"
	"github.com/toolscript/toolscript/cmd/target"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type gatewayListOptions struct {
	*app
	form form.Form
}

func newGatewayList(a *app) *cobra.Command {
	o := &gatewayListOptions{app: a}
	c := &cobra.Command{
		Use:   "list",
		Short: "List the gateways that run for this user",
		Args:  takes(),
		RunE:  func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	form.Add(c.Flags(), &o.form, "print them as JSON")
	return c
}

// listedGateway is the public part of the entry of a gateway: it has no capability.
type listedGateway struct {
	URL       string    `json:"url"`
	Healthy   bool      `json:"healthy"`
	PID       int       `json:"pid"`
	Version   string    `json:"version"`
	Protocol  int       `json:"protocol"`
	StartedAt time.Time `json:"startedAt"`
	Session   string    `json:"session,omitempty"`
	Config    []string  `json:"config"`
}

func (o *gatewayListOptions) run(ctx context.Context) error {
	folder, err := o.target.Folder()
	if err != nil {
		return err
	}
	entries, err := folder.List()
	if err != nil {
		return err
	}
	gateways := make([]listedGateway, 0, len(entries))
	for _, e := range entries {
		gateways = append(gateways, examine(ctx, e))
	}
	if o.form.Structured() {
		return o.form.Write(o.Stdout, gateways)
	}
	if len(gateways) == 0 {
		return o.print("No gateways running")
	}
	t := terminal.Table{Header: []string{"URL", "Health", "PID", "Version", "Started", "Session", "Configuration"}}
	for _, g := range gateways {
		t.Add(g.URL, g.health(), strconv.Itoa(g.PID), g.Version, g.StartedAt.Local().Format(time.DateTime), g.Session, strings.Join(g.Config, ", "))
	}
	return t.Write(o.Stdout, terminal.Columns(o.Stdout), nil)
}

func (g listedGateway) health() string {
	if g.Healthy {
		return "ok"
	}
	return "no answer"
}

// examine checks whether a gateway answers.
func examine(ctx context.Context, e discovery.Entry) listedGateway {
	g, err := target.Dial(ctx, e.URL)
	if err == nil {
		g.Close()
	}
	return listedGateway{
		URL: e.Address(), Healthy: err == nil, PID: e.PID, Version: e.Version, Protocol: e.Protocol,
		StartedAt: e.StartedAt, Session: e.Session, Config: e.Config,
	}
}
