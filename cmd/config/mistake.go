package config

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolscript/toolscript"
)

// Mistake is a mistake in a file. Its text never contains the value of an expanded variable.
type Mistake struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`             // from 1
	Column  int    `json:"column"`           // from 1, in characters
	Field   string `json:"field,omitempty"`  // such as mcpServers.github.command
	Server  string `json:"server,omitempty"` // name of the server that has the mistake
	Command string `json:"-"`                // command of the server that the mistake disables; "": the whole server
	Message string `json:"message"`
	Excerpt string `json:"excerpt,omitempty"` // for a syntax error: the line, and a caret below the position
}

func (m *Mistake) Error() string {
	text := fmt.Sprintf("%s:%d:%d: ", m.Path, m.Line, m.Column)
	if m.Field != "" {
		text += m.Field + ": "
	}
	text += m.Message
	if m.Excerpt != "" {
		text += "\n" + m.Excerpt
	}
	return text
}

// Notice returns the mistake and what it disables, if the other parts of its file have effect.
func (m *Mistake) Notice() string {
	switch {
	case m.Command != "":
		return m.Error() + "; the command " + printable(m.Command) + " of the server " + printable(m.Server) + " is left out"
	case m.Server != "":
		return m.Error() + "; the server " + printable(m.Server) + " is not started"
	}
	setting, _, _ := strings.Cut(m.Field, ".")
	return m.Error() + "; " + setting + " has no effect"
}

// Mistakes are the mistakes of all files, in the order of the files.
type Mistakes []*Mistake

func (m Mistakes) Error() string {
	lines := make([]string, len(m))
	for i, mistake := range m {
		lines[i] = mistake.Error()
	}
	return strings.Join(lines, "\n")
}

// position returns the line and column of an offset.
func position(text []byte, offset int) (line, column int) {
	before := text[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}

// excerptWidth is the maximum length of the text on each side of a position: a file may
// consist of one long line.
const excerptWidth = 60

// excerpt returns the line at an offset, with a caret below the offset, or "" for a blank
// line.
func excerpt(text []byte, offset int) string {
	start := bytes.LastIndexByte(text[:offset], '\n') + 1
	first, _, _ := bytes.Cut(text[start:], []byte("\n"))
	line := strings.TrimRight(string(first), "\r")
	if strings.TrimSpace(line) == "" {
		return ""
	}
	cut := min(offset-start, len(line))
	before, after := []rune(line[:cut]), []rune(line[cut:])
	var shown strings.Builder
	if len(before) > excerptWidth {
		before = before[len(before)-excerptWidth:]
		shown.WriteString("…")
	}
	shown.WriteString(printable(string(before)))
	margin := strings.Map(blank, shown.String())
	if len(after) > excerptWidth {
		after = append(after[:excerptWidth], '…')
	}
	shown.WriteString(printable(string(after)))
	return shown.String() + "\n" + margin + "^"
}

// blank replaces all characters but tabs by spaces, so that the caret is right for any tab width.
func blank(r rune) rune {
	if r == '\t' {
		return r
	}
	return ' '
}

// printable writes control characters, invisible characters and those that change the
// direction of text as \u{…}.
func printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r == '\t' || unicode.IsPrint(r) && !toolscript.Hidden(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u{%X}`, r)
		}
	}
	return b.String()
}
