package terminal

import (
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
