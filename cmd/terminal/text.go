package terminal

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"

	"github.com/toolscript/toolscript"
)

// OneLine joins the lines of a text.
func OneLine(text string) string { return Visible(strings.Join(strings.Fields(text), " ")) }

// Visible replaces line breaks, and characters that could overwrite the terminal, hide text
// or change its direction, by \u{…}.
func Visible(text string) string { return visible(text, false) }

// VisibleText is like Visible, but keeps line breaks.
func VisibleText(text string) string { return visible(text, true) }

func visible(text string, lines bool) string {
	if strings.IndexFunc(text, toolscript.Hidden) < 0 && (lines || !strings.Contains(text, "\n")) {
		return text
	}
	var b strings.Builder
	before := ' '
	for _, r := range text {
		switch picture := (r == '\ufe0e' || r == '\ufe0f') && unicode.IsSymbol(before); { // it selects the presentation of a symbol
		case toolscript.Hidden(r) && !picture, r == '\n' && !lines:
			fmt.Fprintf(&b, `\u{%X}`, r)
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

// WithoutPath returns the text of an error without the path of the file.
func WithoutPath(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// Width returns the number of columns that a line takes.
func Width(line string) int { return runewidth.StringWidth(line) }

// Cut shortens a line to a number of columns.
func Cut(line string, width int) string {
	if width <= 0 {
		return ""
	}
	return runewidth.Truncate(line, width, "…")
}
