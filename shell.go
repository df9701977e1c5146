package toolscript

import (
	"strings"
	"unicode"
)

// Command is a command of toolscript that a person can type as it is printed: each word is
// one word of a shell.
func Command(words ...string) string {
	var b strings.Builder
	b.WriteString("toolscript")
	for _, word := range words {
		b.WriteString(" " + ShellWord(word))
	}
	return b.String()
}

// ShellWord is a text as one word of a shell. It is quoted if a shell would read it as
// something else.
func ShellWord(text string) string {
	if text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+@,:%", r)
	}) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
