package minilm

import (
	"strings"
	"unicode"
)

// Readable is text without what the model cannot read. It knows English: of
// Chinese, Cyrillic and others its vocabulary has a few single characters, whose
// vectors say little and drown those of the names and inputs beside them. A text
// that has no letter besides stays as it is.
func Readable(text string) string {
	if strings.IndexFunc(text, unreadable) < 0 {
		return text
	}
	left := strings.Map(func(r rune) rune {
		if unreadable(r) {
			return ' '
		}
		return r
	}, text)
	if strings.IndexFunc(left, unicode.IsLetter) < 0 {
		return text
	}
	return left
}

func readable(documents []string) []string {
	texts := make([]string, len(documents))
	for i, d := range documents {
		texts[i] = Readable(d)
	}
	return texts
}

// firstIdeographic is where East Asian scripts and their punctuation begin;
// beyond them are symbols such as emoji.
const firstIdeographic = 0x2E80

func unreadable(r rune) bool {
	if r < unicode.MaxASCII {
		return false
	}
	return r >= firstIdeographic ||
		unicode.In(r, unicode.L, unicode.M) && !unicode.In(r, unicode.Latin, unicode.Common, unicode.Inherited)
}
