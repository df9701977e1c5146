package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/exec"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type searchOptions struct {
	*app.App
	search   app.Search
	results  app.Results
	query    string
	form     terminal.Form
	servers  []string
	readOnly bool
	trust    bool
}

// NewSearch returns the command search.
func NewSearch(a *app.App) *cobra.Command {
	o := &searchOptions{App: a}
	c := &cobra.Command{
		Use:   "search QUERY...",
		Short: "Find tools and skills by a description",
		Long: `Find tools, and skills of servers, by a description in your own words.

--output types prints the types of the results and an example, which a script needs to
call them. Misspelt words and other words than those of the tool are accepted.

A running gateway of this configuration answers. Without one, search uses the last tool
lists of the servers, and starts only servers that have never been started. Without
--server, it waits 3 seconds for them.`,
		Example: `  toolscript search read a file
  toolscript search "open an issue" --server github --output types`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return app.Usage(c.CommandPath(), "missing argument: QUERY, a description of the tool")
			}
			if o.query = strings.TrimSpace(strings.Join(args, " ")); o.query == "" {
				return &app.UsageError{Command: c.CommandPath(), Err: errors.New("the query is empty: describe the tool")}
			}
			return o.run(c.Context())
		},
	}
	f := c.Flags()
	o.results.Add(f, "", "l", "t")
	terminal.AddForm(f, &o.form, "print them as JSON", terminal.AsTypes)
	f.StringSliceVar(&o.servers, "server", nil, "search only these `servers` (default all)")
	f.BoolVar(&o.readOnly, "read-only", false, "only tools that their servers declare as read-only")
	app.AddTrust(f, &o.trust)
	o.search.Add(f)
	o.search.Hide(f) // the flags are for gateways; variables can set them
	return c
}

func (o *searchOptions) run(ctx context.Context) error {
	answer, err := o.find(ctx)
	if err != nil {
		return err
	}
	o.remark(answer)
	switch {
	case o.form.Structured():
		return o.form.Write(o.Stdout, answer)
	case len(answer.Results) == 0 && len(answer.Skills) == 0:
		return o.nothing(answer)
	case o.form == terminal.AsTypes:
		return o.types(answer)
	default:
		return o.table(answer)
	}
}

// skills prints the found skills.
func (o *searchOptions) skills(answer toolscript.SearchAnswer) error {
	t := terminal.Table{Header: []string{"Skill", "Confidence", "Server", "Description"}}
	for _, s := range answer.Skills {
		t.Add(s.Name, percent(s.Confidence), s.ServerName, shortened(s.Description))
	}
	return t.Write(o.Stdout, terminal.Columns(o.Stdout), nil)
}

// untrusted returns an error if a search has no results because no server is trusted.
func (o *searchOptions) untrusted(ctx context.Context, g *app.Gateway) error {
	servers, err := g.Servers(ctx, nil, 0)
	if err != nil || len(servers) == 0 {
		return err
	}
	for _, s := range servers {
		if s.State != toolscript.Failed || !strings.HasPrefix(s.Error, "not trusted;") {
			return nil
		}
	}
	return fmt.Errorf("no server is started: the project's configuration is %s", servers[0].Error)
}

func (o *searchOptions) find(ctx context.Context) (toolscript.SearchAnswer, error) {
	if len(o.servers) == 0 {
		o.servers = exec.ExtraServers(o.App)
	}
	q := toolscript.SearchQuery{
		Text: o.query, Limit: int(o.results.Limit.N), Servers: o.servers, ReadOnly: o.readOnly, Types: o.form == terminal.AsTypes,
	}
	if o.results.Threshold.Given {
		q.Threshold = &o.results.Threshold.Value
	}
	g, err := o.Target.Shared(ctx, o.trust)
	if err != nil {
		return toolscript.SearchAnswer{}, err
	}
	if g != nil {
		defer g.Close()
		o.WarnUnused(&o.search)
		over := o.Waiting(SearchNotice)
		answer, err := g.Search(ctx, q)
		over()
		if err == nil && len(answer.Results) == 0 {
			err = o.untrusted(ctx, g)
		}
		return answer, err
	}
	alone := LocalSearch{
		Host: o.Host, Trust: o.trust, Over: o.search.Over, Logger: o.Logger(slog.LevelWarn), Notice: o.Notice, Say: o.Say, Profile: o.Target.Profile, JSON: o.form == terminal.AsJSON,
	}
	return alone.Find(ctx, q)
}

// remark reports the limits of the search.
func (o *searchOptions) remark(answer toolscript.SearchAnswer) {
	if answer.Mode == "lexical" {
		if rest, busy := strings.CutPrefix(answer.State, "indexing "); busy {
			o.Say("toolscript: found by words only: the embeddings of the tools are being computed (%s)", rest)
		} else {
			o.Say("toolscript: found by words only")
		}
	}
	if len(answer.Missing) > 0 {
		o.Warn("not searched: %s", app.MissingReasons(answer.Missing))
	}
}

// nothing reports that no tool was found.
func (o *searchOptions) nothing(answer toolscript.SearchAnswer) error {
	return o.Print("No tool matches this query.\n%s", advice(answer))
}

// advice suggests another query.
func advice(answer toolscript.SearchAnswer) string {
	if answer.Hint != "" {
		return "Hint: " + answer.Hint + "."
	}
	return "Try other words; toolscript list-tools prints all tools."
}

// unsure reports whether no result matches the query well.
func unsure(answer toolscript.SearchAnswer) bool {
	return len(answer.Results) > 0 && answer.Results[0].Unsure
}

// confidence returns the confidence of a hit as text, with a mark if it is low.
func confidence(r toolscript.SearchHit) string {
	if r.Unsure {
		return percent(r.Confidence) + " (unsure)"
	}
	return percent(r.Confidence)
}

func (o *searchOptions) table(answer toolscript.SearchAnswer) error {
	if err := o.found(answer); err != nil || len(answer.Skills) == 0 {
		return err
	}
	if err := o.Print(""); err != nil {
		return err
	}
	return o.skills(answer)
}

// found prints the found tools.
func (o *searchOptions) found(answer toolscript.SearchAnswer) error {
	if len(answer.Results) == 0 {
		return o.nothing(answer)
	}
	t := terminal.Table{Header: []string{"Tool", "Confidence", "Reason", "Description"}}
	for _, r := range answer.Results {
		t.Add(r.ToolID, confidence(r), r.Reason, shortened(r.Description)+accountsCell(r.Accounts))
	}
	if err := t.Write(o.Stdout, terminal.Columns(o.Stdout), nil); err != nil || !unsure(answer) {
		return err
	}
	return o.Print("\nNo tool matches the query well; these are the nearest.\n%s", advice(answer))
}

func percent(part float64) string { return fmt.Sprintf("%.1f%%", 100*part) }

// shortened returns the beginning of a description.
func shortened(description string) string {
	const most = 50
	text := []rune(terminal.OneLine(description))
	if len(text) <= most {
		return string(text)
	}
	return string(text[:most]) + "..."
}

// types prints Markdown for a language model that writes a script.
func (o *searchOptions) types(answer toolscript.SearchAnswer) error {
	var b strings.Builder
	b.WriteString("## Search Results\n\n")
	if unsure(answer) {
		fmt.Fprintf(&b, "No tool matches the query well; these are the nearest. %s\n\n", advice(answer))
	}
	b.WriteString("| Tool | Confidence | Reason |\n|---|---|---|\n")
	for _, r := range answer.Results {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(r.ToolID), confidence(r), cell(r.Reason))
	}
	if len(answer.Skills) > 0 {
		b.WriteString("\n| Skill | Server | Description |\n|---|---|---|\n")
		for _, s := range answer.Skills {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(s.Name), cell(s.ServerName), cell(shortened(s.Description)))
		}
	}
	if len(answer.Results) > 0 {
		fmt.Fprintf(&b, "\n```typescript\n%s\n```\n\nUsage example:\n\n```typescript\n%s\n```",
			strings.TrimRight(answer.Types, "\n"), strings.TrimRight(answer.Example, "\n"))
	}
	_, err := io.WriteString(o.Stdout, b.String()+"\n")
	return err
}

// cell escapes a text for the cell of a Markdown table.
func cell(text string) string { return strings.ReplaceAll(terminal.OneLine(text), "|", `\|`) }
