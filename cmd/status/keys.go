package status

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/toolscript/toolscript/internal/texts"
)

// keyHelp lists the keys and what they do.
var keyHelp = [][2]string{
	{"1 to 9, Tab, ← →", "another view"},
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

// key handles one key. act handles the keys that only some screens have.
func (p *pane) key(k tea.KeyPressMsg, act func(name string) tea.Cmd) tea.Cmd {
	name := k.String()
	if name == "ctrl+c" {
		return tea.Quit
	}
	if p.input != nil {
		return p.typed(name, k.Text)
	}
	p.told = ""
	page := max(1, p.height/2)
	switch name {
	case "q":
		if p.screen == none {
			return tea.Quit
		}
		p.screen, p.scroll = none, 0
	case "esc":
		p.screen, p.scroll = none, 0
	case "?":
		p.screen, p.scroll = help, 0
	case "tab", "right":
		p.show(p.at + 1)
	case "shift+tab", "left":
		p.show(p.at - 1)
	case "1", "2", "3", "4", "5", "6", "7", "8", "9":
		if view := int(name[0] - '1'); view < len(p.chosen) {
			p.show(view)
		}
	case "down", "j":
		p.step(1)
	case "up", "k":
		p.step(-1)
	case "pgdown", "space", "ctrl+f":
		p.step(page)
	case "pgup", "ctrl+b":
		p.step(-page)
	case "home", "g":
		p.step(-far)
	case "end", "G":
		p.step(far)
	case "enter":
		p.screen, p.scroll = detail, 0
	case "/":
		p.input = &input{prompt: "Only with: ", text: p.filters[p.at], change: func(text string) { p.filters[p.at] = text }}
	default:
		return act(name)
	}
	return nil
}

// far is larger than the length of any list.
const far = 1 << 20

// step moves in the list, or scrolls the text that covers it.
func (p *pane) step(by int) {
	if p.screen == none {
		p.move(by)
		return
	}
	p.scroll = max(0, min(p.scroll+by, len(p.covering())-1))
}

// input is a line that the person is typing.
type input struct {
	prompt string
	text   string
	change func(text string)         // called after each key; may be nil
	enter  func(text string) tea.Cmd // called with the complete line; may be nil
	letter bool                      // one key is the whole answer
}

// maxTyped is the maximum length of a line, in bytes.
const maxTyped = 200

func (p *pane) typed(name, text string) tea.Cmd {
	in := p.input
	switch {
	case name == "esc":
		p.input = nil
		if in.change != nil {
			in.change("")
		}
		return nil
	case name == "enter" || in.letter:
		p.input = nil
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
		if text == " " { // safe has removed a space at the end
			in.text += " "
		}
		in.text = texts.Cut(in.text, maxTyped)
	}
	if in.change != nil {
		in.change(strings.TrimSpace(in.text))
	}
	return nil
}

// paste adds pasted text to the line.
func (p *pane) paste(text string) {
	if p.input != nil && !p.input.letter {
		p.typed("", text)
	}
}
