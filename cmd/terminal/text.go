package terminal

import (
	"errors"
	"io/fs"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// OneLine joins the lines of a text.
func OneLine(text string) string { return Visible(strings.Join(strings.Fields(text), " ")) }

// Visible replaces characters that could overwrite the terminal, hide text or change its
// direction by U+FFFD.
func Visible(text string) string { return strings.Map(visibleRune, text) }

// VisibleText is visible for a text with several lines.
func VisibleText(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return visibleRune(r)
	}, text)
}

func visibleRune(r rune) rune {
	if r != '\t' && !unicode.IsGraphic(r) || unicode.Is(unicode.Bidi_Control, r) {
		return unicode.ReplacementChar
	}
	return r
}

// WithoutPath is the text of an error without the path of the file that it is about.
func WithoutPath(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// Width is the number of columns that a line takes.
func Width(line string) int { return runewidth.StringWidth(line) }

// Cut shortens a line to a number of columns.
func Cut(line string, width int) string {
	if width <= 0 {
		return ""
	}
	return runewidth.Truncate(line, width, "…")
}
