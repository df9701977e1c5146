package top

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/toolscript/toolscript/cmd/terminal"
)

// View implements tea.Model.
func (m *model) View() tea.View {
	v := tea.NewView(strings.Join(m.lines(), "\n"))
	v.AltScreen = true
	return v
}

// lines are the screen: height lines of at most width columns.
func (m *model) lines() []string {
	head := m.head()
	room := m.height - len(head) - 1 // the last line has the keys
	var body []string
	switch {
	case room <= 0:
	case m.screen != none:
		body = m.covered(room)
	default:
		below := m.below(room)
		body = m.list(room - len(below))
		for len(body) < room-len(below) {
			body = append(body, "")
		}
		body = append(body, below...)
	}
	for len(body) < room {
		body = append(body, "")
	}
	all := append(append(head, body...), m.foot())
	return all[max(0, len(all)-max(m.height, 1)):]
}

// head says which gateway this is, and which views there are.
func (m *model) head() []string {
	g := m.state.Gateway
	link, style := "live", green
	if m.gateway == nil {
		link, style = "connecting", cyan
		if m.lost != "" {
			link, style = "DISCONNECTED", red
		}
	}
	lines := []string{bold + "toolscript" + reset + "  " + style + link + reset}
	if m.known {
		facts := []string{g.Version, fmt.Sprintf("pid %d", g.PID), fmt.Sprintf("%d of %d ready", g.Ready, g.Total), count(g.Tools, "tool")}
		if m.gateway != nil {
			facts = append(facts, "up "+whole(m.now.Sub(g.Started)))
		}
		plain := "toolscript  " + link
		lines[0] += terminal.Cut("  "+safe(strings.Join(facts, ", ")), m.width-terminal.Width(plain))
		configuration := "none"
		if len(g.Configuration) > 0 {
			configuration = strings.Join(g.Configuration, ", ")
		}
		lines = append(lines, dim+m.cut("Configuration: "+safe(configuration))+reset)
	}
	if m.lost != "" {
		text := "No connection: " + safe(m.lost)
		if m.known {
			text = "Old state. " + text
		}
		lines = append(lines, red+m.cut(text)+reset)
	}
	return append(lines, m.tabs())
}

func (m *model) cut(text string) string { return terminal.Cut(text, m.width) }

// tabs are the views with their numbers; on a narrow terminal, the numbers and the name of
// the current one.
func (m *model) tabs() string {
	names, width, between := make([]string, len(views)), 0, gap
	for i, v := range views {
		names[i] = fmt.Sprintf("%d %s", i+1, v.name)
		if n := len(m.state.Approvals); v.name == "Approvals" && n > 0 {
			names[i] += fmt.Sprintf(" (%d)", n)
		}
		width += len(names[i]) + gap
	}
	if width-gap > m.width {
		between = 1
	}
	if width-len(views)-1 > m.width {
		for i := range names {
			if i != m.at {
				names[i] = names[i][:1]
			}
		}
	}
	plain := m.cut(strings.Join(names, strings.Repeat(" ", between)))
	if !strings.Contains(plain, names[m.at]) {
		return plain
	}
	before, after, _ := strings.Cut(plain, names[m.at])
	return before + reversed + names[m.at] + reset + after
}

// list is the part of the current view around the selected row.
func (m *model) list(room int) []string {
	sections := m.sections()
	if room <= 0 {
		return nil
	}
	var lines []string
	at, first, last := 0, 0, 0 // the lines of the selected row
	chosen := m.selected(m.rows())
	for i, s := range sections {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, bold+m.cut(s.title)+reset)
		if len(s.rows) == 0 {
			lines = append(lines, m.cut("  "+safe(s.empty)))
			continue
		}
		l := layOut(s, m.width)
		lines = append(lines, dim+"  "+l.line(s, headings(s), true)+reset)
		for _, r := range s.rows {
			if at == chosen {
				first = len(lines)
			}
			lines = append(lines, m.row(s, l, r, at == chosen)...)
			if at == chosen {
				last = len(lines)
			}
			at++
		}
	}
	from := 0
	if last > room { // the selected row is the last one shown
		from = min(last-room, first)
	}
	return lines[from:min(from+room, len(lines))]
}

func headings(s section) []string {
	names := make([]string, len(s.columns))
	for i, c := range s.columns {
		names[i] = c.name
	}
	return names
}

func (m *model) row(s section, l laid, r row, chosen bool) []string {
	if m.width <= marker {
		return []string{""}
	}
	line := "  " + l.line(s, r.cells, chosen)
	if chosen {
		text := "> " + strings.TrimPrefix(line, "  ")
		line = reversed + text + strings.Repeat(" ", max(0, m.width-terminal.Width(text))) + reset
	}
	lines := []string{line}
	for _, text := range r.below {
		lines = append(lines, m.cut("    "+safe(text)))
	}
	return lines
}

// below are the first lines about the selected row.
func (m *model) below(room int) []string {
	texts := m.current().detail
	most := min(6, room/3)
	if len(texts) == 0 || most < 2 || m.at == 0 {
		return nil
	}
	lines := wrapped(texts, m.width)
	if len(lines) > most-1 {
		lines = append(lines[:most-2:most-2], m.cut("… Enter shows the rest"))
	}
	return append([]string{dim + strings.Repeat("─", m.width) + reset}, lines...)
}

// covering is the text of the screen that covers the view.
func (m *model) covering() []string {
	if m.screen == help {
		var lines []string
		for _, k := range keyHelp {
			lines = append(lines, fmt.Sprintf("  %-26s %s", k[0], k[1]))
		}
		for i := range lines {
			lines[i] = m.cut(lines[i])
		}
		return append([]string{"Keys", ""}, lines...)
	}
	r := m.current()
	if len(r.detail) == 0 {
		return wrapped(append([]string{"Nothing more is known of this row."}, r.cells...), m.width)
	}
	return wrapped(r.detail, m.width)
}

func (m *model) covered(room int) []string {
	lines := m.covering()
	from := min(m.scroll, max(0, len(lines)-1))
	return lines[from:min(from+room, len(lines))]
}

// wrapped are texts as lines of a width.
func wrapped(texts []string, width int) (lines []string) {
	for _, text := range texts {
		for _, line := range terminal.Wrap(safe(text), width) {
			lines = append(lines, terminal.Cut(line, width))
		}
	}
	return lines
}

// foot is what is typed, what the last action did, or the keys.
func (m *model) foot() string {
	switch {
	case m.input != nil:
		text := m.input.prompt + m.input.text
		if over := terminal.Width(text) - m.width + 1; over > 0 { // the end is what is being typed
			letters := []rune(text)
			text = string(letters[min(over, len(letters)):])
		}
		return m.cut(safe(text) + "_")
	case m.told != "":
		return yellow + m.cut(safe(m.told)) + reset
	}
	keys := "? keys  / filter  Enter more  r restart  l log in  a abort  q quit"
	if m.screen != none {
		keys = "Esc back  ↑↓ scroll  q back"
	}
	if filter := m.filters[m.at]; filter != "" {
		keys = "only with “" + safe(filter) + "” (/ changes it)  " + keys
	}
	return dim + m.cut(keys) + reset
}
