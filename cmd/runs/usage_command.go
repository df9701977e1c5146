package runs

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/internal/naming"
)

// usageOptions are the options of toolscript usage.
type usageOptions struct {
	*app.App
	since  app.Period
	server string
	by     app.Choice
	runs   []string
	trust  bool
	form   terminal.Form
	now    time.Time
}

// NewUsage returns the command usage.
func NewUsage(a *app.App) *cobra.Command {
	o := &usageOptions{
		App: a, since: app.Period(7 * 24 * time.Hour), by: app.Choice{Value: byServer, Choices: []string{byServer, byTool}},
	}
	c := &cobra.Command{
		Use:   "usage",
		Short: "Show what tools cost in tokens, and which are never used",
		Long: `Show what tools cost in tokens, and which are never used.

The numbers come from the audit: the arguments and results of all calls, the scripts, and
what commands have printed for agents. The definitions of tools are those that the servers
listed last. Tokens are estimated, within ten percent for the vocabulary o200k_base.

The second part compares what was in the context of models with the same calls of a client
without scripts: the definitions of all tools once in each session, and the arguments and
the result of each call, of which such a client shows at most 25000 tokens. The third part
names servers and tools that were not used. Neither needs a running gateway.`,
		Example: `  toolscript usage
  toolscript usage --since 30d --by tool --server github
  toolscript usage --run run_0123456789abcdef`,
		Args: app.Takes(),
		RunE: func(*cobra.Command, []string) error {
			o.now = time.Now()
			return o.run()
		},
	}
	f := c.Flags()
	f.Var(&o.since, "since", "the `period` up to now, such as 7d or 12h")
	f.StringVar(&o.server, "server", "", "only this `server`")
	f.Var(&o.by, "by", "one row for each server or for each tool")
	f.StringArrayVar(&o.runs, "run", nil, "only this `run`, of any age; may be repeated")
	app.AddTrust(f, &o.trust)
	terminal.AddForm(f, &o.form, "print all of it as JSON")
	return c
}

// The choices of --by: what has a row of its own in the table.
const (
	byServer = "server"
	byTool   = "tool"
)

func (o *usageOptions) run() error {
	dir, err := o.Host.AuditFolder()
	if err != nil {
		return err
	}
	loaded, err := config.Load(o.Host.ConfigOptions(o.trust))
	if err != nil {
		return err
	}
	q := UsageQuery{Since: o.now.Add(-time.Duration(o.since)), Now: o.now, Server: o.server, Runs: o.runs}
	if q.Runs != nil {
		q.Since = time.Time{}
	}
	r, err := ReadUsage(dir, q, UsageConfigured{Servers: loaded.Servers, Cache: server.ToolLists(o.Host.Cache("tools"))})
	if err != nil {
		return err
	}
	if loaded.Settings.Audit.Off {
		o.Warn(`"audit": {"enabled": false} in the configuration: what happens is not recorded, and the numbers are those of the time before`)
	}
	if err := o.check(r, slices.Sorted(maps.Keys(loaded.Servers))); err != nil {
		return err
	}
	if o.form.Structured() {
		return o.form.Write(o.Stdout, r)
	}
	t := usageText{UsageReport: r, byTool: o.by.Value == byTool, server: o.server, single: o.runs != nil, width: terminal.Columns(o.Stdout)}
	return o.Print("%s", strings.TrimRight(t.text(), "\n"))
}

// check returns an error if the server or a run does not exist.
func (o *usageOptions) check(r *UsageReport, configured []string) error {
	if o.server != "" && len(r.Servers) == 0 {
		return &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("no server %q is configured or was used in this period%s",
			o.server, naming.DidYouMean(naming.Nearest(o.server, configured, 3)))}
	}
	if o.runs != nil && r.Runs < len(slices.Compact(slices.Sorted(slices.Values(o.runs)))) {
		return &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New("the audit does not have all of these runs; list the runs with: toolscript runs list")}
	}
	return nil
}
