package top

import "strings"

// section is a table of a view.
type section struct {
	title   string
	columns []column
	rows    []row
	empty   string // shown if there are no rows
}

// column is a column of a section.
type column struct {
	name  string
	right bool // aligned to the right
	drop  int  // on a narrow terminal columns are left out, the highest first; 0 stays
	flex  bool // takes the rest of the width; the last one at most
	state bool // has a state, which has a colour
}

// row is a line of a section. Its texts may come from servers: they are made safe when they
// are drawn.
type row struct {
	id     string   // unique in the section
	cells  []string // one for each column
	below  []string // lines below
	about  subject
	detail []string // lines about the row alone
}

// subject is what the keys of a row act on.
type subject struct {
	kind kind
	id   string // name of the server, id of the run, of the request or of the item
	name string // tool of the request
}

type kind int

const (
	nothing kind = iota
	aServer
	aRun
	aRequest
	anItem
)

// has reports whether a row has a text, in any case of its letters.
func (r row) has(text string) bool {
	all := strings.ToLower(strings.Join(r.cells, " ") + " " + strings.Join(r.below, " ") + " " + strings.Join(r.detail, " "))
	return strings.Contains(all, strings.ToLower(text))
}

// matching are the sections with the rows that have a text.
func matching(all []section, text string) []section {
	if text == "" {
		return all
	}
	for i := range all {
		var rows []row
		for _, r := range all[i].rows {
			if r.has(text) {
				rows = append(rows, r)
			}
		}
		all[i].rows, all[i].empty = rows, "Nothing matches "+text
	}
	return all
}
