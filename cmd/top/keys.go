package top

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// keyHelp is what the keys do.
var keyHelp = [][2]string{
	{"1 to 8, Tab, ← →", "another view"},
	{"↑ ↓, j k, PgUp PgDn, g G", "another row"},
	{"Enter", "everything about the row; Esc goes back"},
	{"/", "only rows with a text; an empty text shows all"},
	{"r", "restart the server of the row"},
	{"l", "how to log in to the server of the row"},
	{"a", "abort the run of the row"},
	{"o, d", "allow or deny the call that waits"},
	{"v", "lowest level of the log"},
	{"?", "this help"},
	{"q, Ctrl-C", "leave"},
}

// key handles one key.
func (m *model) key(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	if name == "ctrl+c" {
		return tea.Quit
	}
	if m.input != nil {
		return m.typed(name, k.Text)
	}
	m.told = ""
	page := max(1, m.height/2)
	switch name {
	case "q":
		if m.screen == none {
			return tea.Quit
		}
		m.screen, m.scroll = none, 0
	case "esc":
		m.screen, m.scroll = none, 0
	case "?":
		m.screen, m.scroll = help, 0
	case "tab", "right":
		m.show(m.at + 1)
	case "shift+tab", "left":
		m.show(m.at - 1)
	case "1", "2", "3", "4", "5", "6", "7", "8":
		m.show(int(name[0] - '1'))
	case "down", "j":
		m.step(1)
	case "up", "k":
		m.step(-1)
	case "pgdown", "space", "ctrl+f":
		m.step(page)
	case "pgup", "ctrl+b":
		m.step(-page)
	case "home", "g":
		m.step(-far)
	case "end", "G":
		m.step(far)
	case "enter":
		m.screen, m.scroll = detail, 0
	case "/":
		m.input = &input{prompt: "Only with: ", text: m.filters[m.at], change: func(text string) { m.filters[m.at] = text }}
	case "v":
		m.level = (m.level + 1) % len(levels)
	default:
		return m.act(name)
	}
	return nil
}

// far is more than any list has.
const far = 1 << 20

// step moves in the list, or in the text that covers it.
func (m *model) step(by int) {
	if m.screen == none {
		m.move(by)
		return
	}
	m.scroll = max(0, min(m.scroll+by, len(m.covering())-1))
}

// input is a line that is being typed.
type input struct {
	prompt string
	text   string
	change func(text string)         // after each key; may be nil
	enter  func(text string) tea.Cmd // at the end; may be nil
	letter bool                      // one key is the whole answer
}

// maxTyped bounds a line.
const maxTyped = 200

func (m *model) typed(name, text string) tea.Cmd {
	in := m.input
	switch {
	case name == "esc":
		m.input = nil
		if in.change != nil {
			in.change("")
		}
		return nil
	case name == "enter" || in.letter:
		m.input = nil
		if in.enter == nil {
			return nil
		}
		if in.letter {
			in.text = text
		}
		return in.enter(in.text)
	case name == "backspace":
		if letters := []rune(in.text); len(letters) > 0 {
			in.text = string(letters[:len(letters)-1])
		}
	case name == "ctrl+u":
		in.text = ""
	default:
		in.text = safe(in.text + text)
		if text == " " { // safe joins the spaces
			in.text += " "
		}
		in.text = in.text[:min(len(in.text), maxTyped)]
	}
	if in.change != nil {
		in.change(strings.TrimSpace(in.text))
	}
	return nil
}

// paste adds a pasted text to the line.
func (m *model) paste(text string) {
	if m.input != nil && !m.input.letter {
		m.typed("", text)
	}
}
