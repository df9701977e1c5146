package minilm

import (
	"strings"
	"unicode"
)

// Readable removes the letters that the model cannot use. The model knows English.
// For Chinese, Cyrillic and other scripts its vocabulary has only a few single
// characters, whose vectors say little and hide those of the names and inputs. A text
// without other letters stays unchanged.
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

// firstIdeographic is the first rune of East Asian scripts and their punctuation, and
// of the symbols behind them, such as emoji.
const firstIdeographic = 0x2E80

func unreadable(r rune) bool {
	if r < unicode.MaxASCII {
		return false
	}
	return r >= firstIdeographic ||
		unicode.In(r, unicode.L, unicode.M) && !unicode.In(r, unicode.Latin, unicode.Common, unicode.Inherited)
}
