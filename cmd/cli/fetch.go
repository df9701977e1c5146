package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/cmd/form"
	"github.com/toolscript/toolscript/cmd/target"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// maxListed bounds the pages of a table: a server may return pages without end.
const maxListed = 200

// fetchOptions are the options of the commands about resources and prompts.
type fetchOptions struct {
	*app
	asked   toolscript.FetchRequest
	columns []string // members of an entry, one per column
	trust   bool
	form    form.Form
}

// fetchedEntry is the part of an entry that a table shows.
type fetchedEntry struct {
	Server      string `json:"server"`
	URI         string `json:"uri"`
	URITemplate string `json:"uriTemplate"`
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	MIMEType    string `json:"mimeType"`
	Arguments   []struct {
		Name     string `json:"name"`
		Required bool   `json:"required"`
	} `json:"arguments"`
}

// list prints all pages as a table, or one page as JSON.
func (o *fetchOptions) list(ctx context.Context) error {
	g, err := o.target.Provider(ctx, o.trust, o.logger(slog.LevelError))
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
	entries, err := o.pages(ctx, g)
	if err != nil {
		return err
	}
	return o.table(entries)
}

// await checks the name of the server, and waits while that server is connecting.
// Without a name it waits for all servers.
func (o *fetchOptions) await(ctx context.Context, g target.Provider) error {
	var f toolscript.Filter
	if o.asked.Server != "" {
		f = toolscript.Filter{o.asked.Server}
	}
	defer o.waiting(connectingText)()
	servers, err := g.Servers(ctx, f, actors.DefaultConnectTimeout)
	if err != nil || f == nil {
		return err
	}
	return checkServer(o.asked.Server, servers)
}

// pages are the entries of all pages. It warns about servers that do not answer.
func (o *fetchOptions) pages(ctx context.Context, g target.Provider) ([]fetchedEntry, error) {
	var all []fetchedEntry
	seen := map[string]bool{}
	for ask := o.asked; ; {
		text, err := g.Fetch(ctx, ask)
		if err != nil {
			return nil, err
		}
		page := toolscript.Page{Of: ask.Collection()}
		if err := json.Unmarshal(text, &page); err != nil {
			return nil, fmt.Errorf("the gateway's answer cannot be read: %w", err)
		}
		for _, m := range page.Missing {
			o.warn("%s is missing: %s", terminal.Visible(m.Server), terminal.OneLine(m.Error))
		}
		for _, raw := range page.Entries {
			var e fetchedEntry
			if err := json.Unmarshal(raw, &e); err != nil {
				o.warn("left out an entry that cannot be read: %v", err)
				continue
			}
			all = append(all, e)
		}
		switch ask.Cursor = page.Next; {
		case page.Next == "":
			return all, nil
		case seen[page.Next], len(seen) == maxListed:
			o.warn("the list does not end; only the first %d entries are shown", len(all))
			return all, nil
		}
		seen[page.Next] = true
	}
}

func (o *fetchOptions) table(entries []fetchedEntry) error {
	t := terminal.Table{Header: o.columns}
	for _, e := range entries {
		first, _, _ := strings.Cut(strings.TrimSpace(e.Description), "\n")
		cells := map[string]string{
			"Server": e.Server, "URI": e.URI, "Template": e.URITemplate, "Name": e.Name, "Type": e.MIMEType,
			"Description": first, "Arguments": e.arguments(),
		}
		var row []string
		for _, column := range o.columns {
			row = append(row, cells[column])
		}
		t.Add(row...)
	}
	return t.Write(o.Stdout, terminal.Columns(o.Stdout), nil)
}

// arguments are the arguments of a prompt. A question mark follows optional arguments.
func (e fetchedEntry) arguments() string {
	var names []string
	for _, a := range e.Arguments {
		if !a.Required {
			a.Name += "?"
		}
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}

// result fetches a resource or a prompt, and prints it as JSON or with show.
func (o *fetchOptions) result(ctx context.Context, show func(json.RawMessage) error) error {
	g, err := o.target.Provider(ctx, o.trust, o.logger(slog.LevelError))
	if err != nil {
		return err
	}
	defer g.Close()
	if err := o.await(ctx, g); err != nil {
		return err
	}
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
