package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// maxListed is the maximum number of pages that are read: a server may return pages without end.
const maxListed = 200

// Listed is the part of a resource, prompt or skill that a table shows.
type Listed struct {
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
	Frontmatter struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"frontmatter"`
	Resources json.RawMessage `json:"resources"` // the files of a skill
}

// ListPages returns the entries of all pages of a list. It warns about servers that do not
// answer.
func ListPages(ctx context.Context, g app.Provider, ask toolscript.FetchRequest, warn func(format string, args ...any)) ([]Listed, error) {
	var all []Listed
	seen := map[string]bool{}
	for {
		text, err := g.Fetch(ctx, ask)
		if err != nil {
			return nil, err
		}
		page := toolscript.Page{Of: ask.Collection()}
		if err := json.Unmarshal(text, &page); err != nil {
			return nil, fmt.Errorf("the gateway's answer cannot be read: %w", err)
		}
		for _, m := range page.Missing {
			warn("%s is missing: %s", terminal.Visible(m.Server), terminal.OneLine(m.Error))
		}
		for _, raw := range page.Entries {
			var e Listed
			if err := json.Unmarshal(raw, &e); err != nil {
				warn("left out an entry that cannot be read: %v", err)
				continue
			}
			if ask.ID == toolscript.ListSkills {
				e.Name, e.Description = e.Frontmatter.Name, e.Frontmatter.Description
			}
			all = append(all, e)
		}
		switch ask.Cursor = page.Next; {
		case page.Next == "":
			return all, nil
		case seen[page.Next], len(seen) == maxListed:
			warn("the list does not end; only the first %d entries are shown", len(all))
			return all, nil
		}
		seen[page.Next] = true
	}
}

// ListedTable returns a table with a row for each entry. The columns are members of an entry.
func ListedTable(entries []Listed, columns []string) *terminal.Table {
	t := &terminal.Table{Header: columns}
	for _, e := range entries {
		first, _, _ := strings.Cut(strings.TrimSpace(e.Description), "\n")
		cells := map[string]string{
			"Server": e.Server, "URI": e.URI, "Template": e.URITemplate, "Name": e.Name, "Type": e.MIMEType,
			"Description": first, "Arguments": e.arguments(), "Files": e.files(),
		}
		var row []string
		for _, column := range columns {
			row = append(row, cells[column])
		}
		t.Add(row...)
	}
	return t
}

// arguments lists the arguments of a prompt. A question mark follows optional arguments.
func (e Listed) arguments() string {
	var names []string
	for _, a := range e.Arguments {
		if !a.Required {
			a.Name += "?"
		}
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}

// files returns the number of files of a skill; "dynamic" if its server makes them on demand.
func (e Listed) files() string {
	var files []json.RawMessage
	if json.Unmarshal(e.Resources, &files) != nil {
		return "dynamic"
	}
	return strconv.Itoa(len(files))
}
