package toolscript

import (
	"fmt"
	"strings"
	"unicode"
)

// Hidden reports whether a character is invisible to a person or changes how other
// characters look: controls, direction marks, joiners, variation selectors, tags, fillers
// such as U+3164, and unassigned characters. Line feeds, tabs and spaces are not hidden.
func Hidden(r rune) bool {
	if r < 0x7f {
		return r < ' ' && r != '\n' && r != '\t'
	}
	return !unicode.IsGraphic(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || blank(r)
}

// blank reports whether a character is drawn as empty space although Unicode classes it
// as a graphic character.
func blank(r rune) bool {
	return r == '\u2800' || r == '\U00016FE4' || r == '\U0001D159'
}

// Shown returns the text with its hidden characters written as \u{…}. Line feeds and tabs stay.
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
