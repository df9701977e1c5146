package toolscript

import (
	"fmt"
	"strings"
	"unicode"
)

// Hidden reports whether a person does not see a character, or whether it changes how others
// are seen: controls, marks of direction, joiners, selectors, tags, fillers such as U+3164, and
// characters that no font has. Line ends, tabs and spaces are not hidden.
func Hidden(r rune) bool {
	if r < 0x7f {
		return r < ' ' && r != '\n' && r != '\t'
	}
	return !unicode.IsGraphic(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || blank(r)
}

// blank reports whether a character is a letter or a symbol without a picture, although Unicode
// does not say so.
func blank(r rune) bool {
	return r == '\u2800' || r == '\U00016FE4' || r == '\U0001D159'
}

// Shown writes the hidden characters of a text as \u{…}. Line ends and tabs stay.
func Shown(text string) string {
	if strings.IndexFunc(text, Hidden) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if Hidden(r) {
			fmt.Fprintf(&b, `\u{%X}`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
