package status

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/api"
)

// noun is a part of what a gateway shows, for a command below status.
type noun struct {
	name  string
	short string
	view  int                           // index in views
	kind  toolscript.LiveType           // type of its entries
	table func(m *model) section        // what is printed
	list  func(toolscript.Snapshot) any // what is printed as JSON
}

// ofServers is the noun of status servers --watch; newServers says what is printed without --watch.
var ofServers = noun{"servers", "", 1, toolscript.LiveServer, servers, func(s toolscript.Snapshot) any { return statusOf(s).Servers }}

var nouns = []noun{
	{
		"runs", "Show the runs that go on, and how much of their limits they have used", 2, toolscript.LiveRun,
		func(m *model) section { return runs(m, true) },
		func(s toolscript.Snapshot) any {
			return slices.DeleteFunc(slices.Clone(s.Runs), func(r toolscript.RunEntry) bool { return r.EndedAt != nil })
		},
	},
	{"sessions", "Show the MCP clients that use the gateway, and what they wait for", 8, toolscript.LiveSession, sessions, func(s toolscript.Snapshot) any { return s.Sessions }},
	{"actors", "Show the actors of the gateway, and how long messages wait for them", 5, toolscript.LiveActor, actorTree, func(s toolscript.Snapshot) any { return s.Actors }},
}

// newNoun returns the command of a noun.
func newNoun(a *app.App, n noun) *cobra.Command {
	o := &statusOptions{App: a, noun: &n}
	c := &cobra.Command{
		Use: n.name, Short: n.short, Args: app.Takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.watch {
				return o.follow(c.Context())
			}
			return o.printNoun(c.Context())
		},
	}
	o.addFlags(c, "print them as JSON")
	return c
}

// printNoun prints the noun once.
func (o *statusOptions) printNoun(ctx context.Context) error {
	g, err := o.Target.Require(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	s, err := snapshot(ctx, g.Client)
	if err != nil {
		return err
	}
	shown := o.nounAppearance(s)
	if shown.err != nil {
		return shown.err
	}
	_, err = io.WriteString(o.Stdout, shown.text)
	return err
}

// snapshot returns what a gateway shows now.
func snapshot(ctx context.Context, client *api.Client) (s toolscript.Snapshot, _ error) {
	known := errors.New("known")
	err := client.Events(ctx, toolscript.LiveQuery{}, func(e toolscript.LiveEvent) error {
		if err := s.Apply(e); err != nil {
			return err
		}
		return known
	})
	if errors.Is(err, known) {
		err = nil
	}
	return s, err
}

// nounAppearance returns the noun as a table or as JSON.
func (o *statusOptions) nounAppearance(s toolscript.Snapshot) (a appearance) {
	var b strings.Builder
	defer func() {
		a.text, a.key = b.String(), b.String()
		if o.noun.kind == toolscript.LiveActor {
			a.key = keyOf(statusOf(toolscript.Snapshot{Actors: s.Actors}))
		}
	}()
	if o.form.Structured() {
		a.err = o.form.Write(&b, o.noun.list(s))
		return a
	}
	m := &model{state: s, now: time.Now(), level: 1}
	part := o.noun.table(m)
	t := terminal.Table{Header: headings(part)}
	for _, r := range part.rows {
		t.Add(r.cells...)
	}
	if len(part.rows) > 0 {
		_ = t.Write(&b, terminal.Columns(o.Stdout), o.PaintState(part.state())) // a Builder takes everything
	} else {
		b.WriteString(part.empty + "\n")
	}
	return a
}

// state returns the index of the column with states.
func (s section) state() int {
	for i, c := range s.columns {
		if c.state {
			return i
		}
	}
	return -1
}
