package status

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
	right bool // align to the right
	drop  int  // on a narrow terminal, columns with the highest value are omitted first; 0 is never omitted
	flex  bool // takes the remaining width; at most one column
	state bool // the cells are states, which have colours
}

// row is a row of a section. Its texts may come from servers; drawing makes them safe.
type row struct {
	id     string   // unique in the section
	cells  []string // one for each column
	below  []string // lines shown below the cells
	about  subject
	detail []string // lines shown only for this row, when it is selected
}

// subject is the thing on which the keys of a row act.
type subject struct {
	kind kind
	id   string // name of a server, or id of a run, request or item
	name string // tool of a request
}

type kind int

const (
	nothing kind = iota
	aServer
	aRun
	aRequest
	anItem
)

// has reports whether a row contains a text, ignoring case.
func (r row) has(text string) bool {
	all := strings.ToLower(strings.Join(r.cells, " ") + " " + strings.Join(r.below, " ") + " " + strings.Join(r.detail, " "))
	return strings.Contains(all, strings.ToLower(text))
}

// matching returns the sections with only the rows that contain a text.
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
