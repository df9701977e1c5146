package status

import (
	"slices"
	"strings"

	"github.com/toolscript/toolscript/cmd/terminal"
)

const (
	gap      = 2  // spaces between columns
	marker   = 2  // width of the mark of the selected row
	widest   = 44 // maximum width of a column, except the one that takes the remaining width
	narrowed = 10 // half the minimum width of the column that takes the remaining width
)

// laid is the layout of a section for a width.
type laid struct {
	columns []int // indices of the shown columns
	widths  []int // widths of these columns
}

// layOut chooses the shown columns and their widths.
func layOut(s section, width int) laid {
	l := laid{}
	for i, c := range s.columns {
		w := terminal.Width(c.name)
		for _, r := range s.rows {
			w = max(w, terminal.Width(safe(r.cells[i])))
		}
		l.columns, l.widths = append(l.columns, i), append(l.widths, min(w, widest))
	}
	for {
		rest := width - marker - gap*(len(l.columns)-1)
		flex := -1
		for at, i := range l.columns {
			if s.columns[i].flex {
				flex = at
				continue
			}
			rest -= l.widths[at]
		}
		if flex >= 0 && rest >= min(l.widths[flex], narrowed*2) || flex < 0 && rest >= 0 {
			if flex >= 0 {
				l.widths[flex] = rest
			}
			return l
		}
		if !l.dropOne(s) {
			l.shrink(width - marker)
			return l
		}
	}
}

// dropOne omits the least important column. It returns false if all remaining columns are needed.
func (l *laid) dropOne(s section) bool {
	worst := -1
	for at, i := range l.columns {
		if s.columns[i].drop > 0 && (worst < 0 || s.columns[i].drop > s.columns[l.columns[worst]].drop) {
			worst = at
		}
	}
	if worst < 0 {
		return false
	}
	l.columns, l.widths = slices.Delete(l.columns, worst, worst+1), slices.Delete(l.widths, worst, worst+1)
	return true
}

// shrink reduces the widest columns until all fit.
func (l *laid) shrink(width int) {
	for {
		total, most := gap*(len(l.widths)-1), 0
		for at, w := range l.widths {
			total += w
			if w > l.widths[most] {
				most = at
			}
		}
		if total <= width || l.widths[most] <= 1 {
			return
		}
		l.widths[most]--
	}
}

// line returns one line of a table. Unless plain, states are coloured.
func (l laid) line(s section, cells []string, plain bool) string {
	var b strings.Builder
	for at, i := range l.columns {
		if at > 0 {
			b.WriteString(strings.Repeat(" ", gap))
		}
		text := terminal.Cut(safe(cells[i]), l.widths[at])
		blanks := strings.Repeat(" ", max(0, l.widths[at]-terminal.Width(text)))
		if s.columns[i].state && !plain {
			text = styleOf(text) + text + reset
		}
		switch {
		case s.columns[i].right:
			text = blanks + text
		case at < len(l.columns)-1:
			text += blanks
		}
		b.WriteString(text)
	}
	return b.String()
}
