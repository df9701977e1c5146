package hook

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/texts"
)

// maxShown and maxName bound the description and the name of one tool in the text, in the
// unit of size. They keep the text below 300 tokens in every language.
const (
	maxShown = 140
	maxName  = 80
)

// SuggestionText describes tools for a model. call returns the name of a tool as scripts write it.
func SuggestionText(suggestions []Suggestion, call func(toolscript.Tool) string) string {
	var b strings.Builder
	b.WriteString("MCP tools of toolscript that may fit this prompt:\n")
	for _, s := range suggestions {
		b.WriteString("- " + beginning(oneLine(call(s.Tool)), maxName))
		if description := sentence(s.Tool.Description); description != "" {
			b.WriteString(": " + description)
		}
		b.WriteByte('\n')
	}
	b.WriteString("The skill toolscript shows how to call them.")
	return b.String()
}

// sentence returns the first sentence of a description, or its beginning.
func sentence(description string) string {
	text := oneLine(texts.Cut(description, maxDescription))
	if end := strings.Index(text, ". "); end >= 0 {
		text = text[:end]
	}
	return beginning(strings.TrimSuffix(text, "."), maxShown)
}

// beginning returns the beginning of a text, with at most the given size.
func beginning(text string, most int) string {
	for i, r := range text {
		if most -= size(r); most < 0 {
			return text[:i] + "…"
		}
	}
	return text
}

// size returns an estimate of a rune's length in thirds of a token: three English letters
// are at most one token, and so is one byte of other scripts.
func size(r rune) int {
	if r == ' ' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
		return 1
	}
	return 3 * utf8.RuneLen(r)
}

// oneLine returns a server's text without line breaks and invisible characters.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || toolscript.Hidden(r)
	}), " ")
}
