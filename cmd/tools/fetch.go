package tools

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// fetchOptions are the options of the commands about resources, prompts and skills.
type fetchOptions struct {
	*app.App
	asked   toolscript.FetchRequest
	columns []string // members of an entry, one per column
	trust   bool
	form    terminal.Form
}

// list prints all pages as a table, or one page as JSON.
func (o *fetchOptions) list(ctx context.Context) error {
	provider := o.Target.Provider
	if o.asked.ID == toolscript.ListSkills {
		provider = o.Target.Lists
	}
	g, err := provider(ctx, o.trust, o.Logger(slog.LevelError))
	if err != nil {
		return err
	}
	defer g.Close()
	if err := o.await(ctx, g); err != nil {
		return err
	}
	if o.form.Structured() {
		page, err := g.Fetch(ctx, o.asked)
		if err != nil {
			return err
		}
		return o.form.Write(o.Stdout, page)
	}
	entries, err := ListPages(ctx, g, o.asked, o.Warn)
	if err != nil {
		return err
	}
	return ListedTable(entries, o.columns).Write(o.Stdout, terminal.Columns(o.Stdout), nil)
}

// await checks the name of the server, and waits while that server is connecting.
// Without a name it waits for all servers.
func (o *fetchOptions) await(ctx context.Context, g app.Provider) error {
	var f toolscript.Filter
	if o.asked.Server != "" {
		f = toolscript.Filter{o.asked.Server}
	}
	defer o.Waiting(app.ConnectingText)()
	servers, err := g.Servers(ctx, f, actors.DefaultConnectTimeout)
	if err != nil || f == nil {
		return err
	}
	return app.CheckServer(o.asked.Server, servers)
}

// result fetches a resource or a prompt, and prints it as JSON or with show.
func (o *fetchOptions) result(ctx context.Context, show func(json.RawMessage) error) error {
	g, err := o.Target.Provider(ctx, o.trust, o.Logger(slog.LevelError))
	if err != nil {
		return err
	}
	defer g.Close()
	if err := o.await(ctx, g); err != nil {
		return err
	}
	return o.fetched(ctx, g, show)
}

// fetched is result with a provider that is ready.
func (o *fetchOptions) fetched(ctx context.Context, g app.Provider, show func(json.RawMessage) error) error {
	text, err := g.Fetch(ctx, o.asked)
	if err != nil {
		return err
	}
	if o.form.Structured() {
		return o.form.Write(o.Stdout, text)
	}
	return show(text)
}

// shown prints a text of a server. On a terminal, control characters are replaced.
func (o *fetchOptions) shown(text string) error {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if terminal.Is(o.Stdout) {
		lines := strings.SplitAfter(text, "\n")
		for i, line := range lines {
			body, hasEnd := strings.CutSuffix(line, "\n")
			if lines[i] = terminal.Visible(strings.TrimSuffix(body, "\r")); hasEnd {
				lines[i] += "\n"
			}
		}
		text = strings.Join(lines, "")
	}
	_, err := io.WriteString(o.Stdout, text)
	return err
}
