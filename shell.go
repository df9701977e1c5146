package toolscript

import (
	"strings"
	"unicode"
)

// Command returns a toolscript command that a person can paste into a shell. Each word
// is quoted as one word if necessary.
func Command(words ...string) string {
	var b strings.Builder
	b.WriteString("toolscript")
	for _, word := range words {
		b.WriteString(" " + ShellWord(word))
	}
	return b.String()
}

// ShellWord returns text as one word of a shell. It adds quotes only if they are
// needed.
func ShellWord(text string) string {
	if text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+@,:%", r)
	}) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
