package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
)

// maxListed bounds the pages that a table is made of: a server may go on for ever.
const maxListed = 200

// offeredOptions are those of the commands that ask for a page of what servers
// offer beside tools.
type offeredOptions struct {
	*app
	asked   toolscript.Offered
	columns []string // members of an entry, one a column
	json    bool
}

// offeredEntry is what a table shows of an entry.
type offeredEntry struct {
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

// list prints all pages as a table, or one as JSON.
func (o *offeredOptions) list(ctx context.Context) error {
	g, err := o.gateway(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	if err := o.await(ctx, g); err != nil {
		return err
	}
	if o.json {
		page, err := g.Fetch(ctx, o.asked)
		if err != nil {
			return err
		}
		return o.print("%s", page)
	}
	entries, err := o.pages(ctx, g)
	if err != nil {
		return err
	}
	return o.table(entries)
}

// await wants the server to exist, and gives those that are connecting the time
// they have for that.
func (o *offeredOptions) await(ctx context.Context, g *reached) error {
	servers, err := g.Servers(ctx)
	if err != nil {
		return err
	}
	var f toolscript.Filter
	if o.asked.Server != "" {
		if _, err := findServer(o.asked.Server, servers); err != nil {
			return err
		}
		f = toolscript.Filter{o.asked.Server}
	}
	var connecting []string
	for _, s := range servers {
		if s.State == toolscript.Connecting && (f == nil || s.Name == o.asked.Server) {
			connecting = append(connecting, s.Name)
		}
	}
	if len(connecting) == 0 {
		return nil
	}
	o.say("toolscript: waiting for %s to connect", strings.Join(connecting, ", "))
	_, err = g.Types(ctx, f, true, actors.DefaultConnectTimeout)
	return err
}

// pages are the entries of all pages. What is missing is said on stderr.
func (o *offeredOptions) pages(ctx context.Context, g *reached) ([]offeredEntry, error) {
	var all []offeredEntry
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
			o.warn("%s is missing: %s", visible(m.Server), oneLine(m.Error))
		}
		for _, raw := range page.Entries {
			var e offeredEntry
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
			o.warn("the list goes on for ever; what follows the first %d entries is left out", len(all))
			return all, nil
		}
		seen[page.Next] = true
	}
}

func (o *offeredOptions) table(entries []offeredEntry) error {
	t := table{header: o.columns}
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
		t.add(row...)
	}
	return t.write(o.Stdout, nil)
}

// arguments are those of a prompt; a question mark follows one that may be left
// out.
func (e offeredEntry) arguments() string {
	var names []string
	for _, a := range e.Arguments {
		if !a.Required {
			a.Name += "?"
		}
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}

// result fetches a resource or a prompt and prints it, as JSON or by show.
func (o *offeredOptions) result(ctx context.Context, show func(json.RawMessage) error) error {
	g, err := o.gateway(ctx)
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
	if o.json {
		return o.print("%s", text)
	}
	return show(text)
}

// shown writes a text of a server: as it is, but harmless to a terminal.
func (o *offeredOptions) shown(text string) error {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if isTerminal(o.Stdout) {
		lines := strings.SplitAfter(text, "\n")
		for i, line := range lines {
			body, hasEnd := strings.CutSuffix(line, "\n")
			if lines[i] = visible(strings.TrimSuffix(body, "\r")); hasEnd {
				lines[i] += "\n"
			}
		}
		text = strings.Join(lines, "")
	}
	_, err := io.WriteString(o.Stdout, text)
	return err
}
