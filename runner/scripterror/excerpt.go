package scripterror

import (
	"strings"
	"unicode/utf16"
)

// terminators are the line terminators of ECMAScript. CR LF counts as one terminator.
const terminators = "\n\r\u2028\u2029"

// excerptWidth is the maximal length of an excerpt in runes. Longer lines, such as minified
// code, are cut around the caret.
const excerptWidth = 120

// Excerpt returns line number line of text with a caret under the column, or "" if text has
// no such line.
func Excerpt(text string, line, column int) string {
	source, ok := Line(text, line)
	if !ok {
		return ""
	}
	runes := []rune(source)
	caret := runeIndex(runes, column)
	if len(runes) > excerptWidth {
		start := min(max(0, caret-excerptWidth/2), len(runes)-excerptWidth)
		runes, caret = runes[start:start+excerptWidth], caret-start
	}
	return string(runes) + "\n" + indent(runes[:min(caret, len(runes))]) + "^"
}

// Line returns one line of text, counted from 1, without its terminator.
func Line(text string, line int) (string, bool) {
	for n := 1; ; n++ {
		end := strings.IndexAny(text, terminators)
		if n == line {
			if end >= 0 {
				text = text[:end]
			}
			return text, true
		}
		if end < 0 || n > line {
			return "", false
		}
		text = text[end+terminator(text[end:]):]
	}
}

// Lines returns the number of lines of text, at least 1.
func Lines(text string) int {
	n := 1
	for {
		end := strings.IndexAny(text, terminators)
		if end < 0 {
			return n
		}
		text = text[end+terminator(text[end:]):]
		n++
	}
}

// terminator returns the length of the line terminator at the start of text.
func terminator(text string) int {
	switch {
	case strings.HasPrefix(text, "\r\n"):
		return 2
	case text[0] == '\n' || text[0] == '\r':
		return 1
	}
	return len("\u2028")
}

// runeIndex returns the index of the rune at a column.
func runeIndex(runes []rune, column int) int {
	units := 1
	for i, r := range runes {
		if units >= column {
			return i
		}
		units += max(1, utf16.RuneLen(r))
	}
	return len(runes)
}

// indent replaces runes by spaces, except tabs, so that the caret is at the right column at
// any tab width.
func indent(runes []rune) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string(runes))
}
