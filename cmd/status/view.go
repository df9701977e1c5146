package status

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/toolscript/toolscript/cmd/terminal"
)

// lines returns the lines of the whole screen.
func (m *model) lines() []string { return m.pane.lines(m.head()) }

// View implements tea.Model.
func (m *model) View() tea.View { return viewOf(m.lines()) }

func viewOf(lines []string) tea.View {
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen = true
	return v
}

// head returns the lines that say which gateway is shown and which views there are.
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

// tabs returns the views with their numbers; on a narrow terminal, the numbers and the name
// of the current view.
func (m *model) tabs() string {
	names, width, between := make([]string, len(views)), 0, gap
	for i, v := range views {
		names[i] = fmt.Sprintf("%d %s", i+1, v.name)
		if n := len(m.state.Approvals); v.name == "Approvals" && n > 0 {
			names[i] += fmt.Sprintf("(%d)", n)
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
