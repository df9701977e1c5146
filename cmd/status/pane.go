package status

import (
	"fmt"
	"strings"

	"github.com/toolscript/toolscript/cmd/terminal"
)

// pane is a screen of tables: its size, the selected rows, and what covers the tables.
type pane struct {
	width, height int

	tables func(view int) []section // returns the tables of a view, with all rows
	help   [][2]string              // keys and what they do
	hint   string                   // keys named in the last line
	brief  int                      // view that shows no lines about the selected row; -1: none

	at      int      // current view
	chosen  []string // id of the selected row, by view
	filters []string // filter, by view
	screen  screen
	scroll  int // first line shown of a long text

	input *input // line that is being typed; may be nil
	told  string // says what the last action did
}

// screen is what covers the view.
type screen int

const (
	none screen = iota
	help
	detail
)

func newPane(views int, tables func(view int) []section) pane {
	return pane{width: 80, height: 24, tables: tables, brief: -1, chosen: make([]string, views), filters: make([]string, views)}
}

// sections returns the sections of the current view, with the rows that match its filter.
func (p *pane) sections() []section { return matching(p.tables(p.at), p.filters[p.at]) }

// rows returns the rows of the current view.
func (p *pane) rows() (all []row) {
	for _, s := range p.sections() {
		all = append(all, s.rows...)
	}
	return all
}

// selected returns the index of the selected row, or 0 if that row is gone.
func (p *pane) selected(rows []row) int {
	for i, r := range rows {
		if r.id == p.chosen[p.at] {
			return i
		}
	}
	return 0
}

// current returns the selected row. It has no id if there are no rows.
func (p *pane) current() row {
	rows := p.rows()
	if len(rows) == 0 {
		return row{}
	}
	return rows[p.selected(rows)]
}

// move moves the selection.
func (p *pane) move(by int) {
	if rows := p.rows(); len(rows) > 0 {
		p.chosen[p.at] = rows[min(max(p.selected(rows)+by, 0), len(rows)-1)].id
	}
}

// show switches to a view.
func (p *pane) show(view int) {
	n := len(p.chosen)
	p.at, p.screen, p.scroll = (view+n)%n, none, 0
}

func (p *pane) cut(text string) string { return terminal.Cut(text, p.width) }

// lines returns the screen below a head: height lines of at most width columns.
func (p *pane) lines(head []string) []string {
	room := p.height - len(head) - 1 // the last line shows the keys
	var body []string
	switch {
	case room <= 0:
	case p.screen != none:
		body = p.covered(room)
	default:
		below := p.below(room)
		body = p.list(room - len(below))
		for len(body) < room-len(below) {
			body = append(body, "")
		}
		body = append(body, below...)
	}
	for len(body) < room {
		body = append(body, "")
	}
	all := append(append(head, body...), p.foot())
	return all[max(0, len(all)-max(p.height, 1)):]
}

// list returns the part of the current view around the selected row.
func (p *pane) list(room int) []string {
	sections := p.sections()
	if room <= 0 {
		return nil
	}
	var lines []string
	at, first, last := 0, 0, 0 // index of the current row; first and last line of the selected row
	chosen := p.selected(p.rows())
	for i, s := range sections {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, bold+p.cut(s.title)+reset)
		if len(s.rows) == 0 {
			lines = append(lines, p.cut("  "+safe(s.empty)))
			continue
		}
		l := layOut(s, p.width)
		lines = append(lines, dim+"  "+l.line(s, headings(s), true)+reset)
		for _, r := range s.rows {
			if at == chosen {
				first = len(lines)
			}
			lines = append(lines, p.row(s, l, r, at == chosen)...)
			if at == chosen {
				last = len(lines)
			}
			at++
		}
	}
	from := 0
	if last > room { // the selected row becomes the last one shown
		from = min(last-room, first)
	}
	return lines[from:min(from+room, len(lines))]
}

func (p *pane) row(s section, l laid, r row, chosen bool) []string {
	if p.width <= marker {
		return []string{""}
	}
	line := "  " + l.line(s, r.cells, chosen)
	if chosen {
		text := "> " + strings.TrimPrefix(line, "  ")
		line = reversed + text + strings.Repeat(" ", max(0, p.width-terminal.Width(text))) + reset
	}
	lines := []string{line}
	for _, text := range r.below {
		lines = append(lines, p.cut("    "+safe(text)))
	}
	return lines
}

// below returns the first detail lines of the selected row.
func (p *pane) below(room int) []string {
	texts := p.current().detail
	most := min(6, room/3)
	if len(texts) == 0 || most < 2 || p.at == p.brief {
		return nil
	}
	lines := wrapped(texts, p.width)
	if len(lines) > most-1 {
		lines = append(lines[:most-2:most-2], p.cut("… Enter shows the rest"))
	}
	return append([]string{dim + strings.Repeat("─", p.width) + reset}, lines...)
}

// covering returns the text of the screen that covers the view.
func (p *pane) covering() []string {
	if p.screen == help {
		var lines []string
		for _, k := range p.help {
			lines = append(lines, fmt.Sprintf("  %-26s %s", k[0], k[1]))
		}
		for i := range lines {
			lines[i] = p.cut(lines[i])
		}
		return append([]string{"Keys", ""}, lines...)
	}
	r := p.current()
	if len(r.detail) == 0 {
		return wrapped(append([]string{"Nothing more is known of this row."}, r.cells...), p.width)
	}
	return wrapped(r.detail, p.width)
}

func (p *pane) covered(room int) []string {
	lines := p.covering()
	from := min(p.scroll, max(0, len(lines)-1))
	return lines[from:min(from+room, len(lines))]
}

// foot returns the last line: what is being typed, what the last action did, or the keys.
func (p *pane) foot() string {
	switch {
	case p.input != nil:
		text := p.input.prompt + p.input.text
		if over := terminal.Width(text) - p.width + 1; over > 0 { // show the end, where text is being typed
			letters := []rune(text)
			text = string(letters[min(over, len(letters)):])
		}
		return p.cut(safe(text) + "_")
	case p.told != "":
		return yellow + p.cut(safe(p.told)) + reset
	}
	keys := p.hint
	if p.screen != none {
		keys = "Esc back  ↑↓ scroll  q back"
	}
	if filter := p.filters[p.at]; filter != "" {
		keys = "only with “" + safe(filter) + "” (/ changes it)  " + keys
	}
	return dim + p.cut(keys) + reset
}

func headings(s section) []string {
	names := make([]string, len(s.columns))
	for i, c := range s.columns {
		names[i] = c.name
	}
	return names
}

// wrapped breaks texts into lines of a width.
func wrapped(texts []string, width int) (lines []string) {
	for _, text := range texts {
		for _, line := range terminal.Break(safe(text), width) {
			lines = append(lines, terminal.Cut(line, width))
		}
	}
	return lines
}
