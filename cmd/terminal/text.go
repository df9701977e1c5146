package terminal

import (
	"errors"
	"io/fs"
	"strings"
	"unicode"
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
