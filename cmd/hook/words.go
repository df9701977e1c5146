package hook

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// special are the characters with a meaning for bash or zsh in an unquoted word: patterns,
// braces, home folders, escapes, history, and the extended patterns of zsh.
const special = "\\*?[]{}~^!#$`\"'()<>|&;"

// fixed returns the texts of words, or false if a shell might expand one of them.
func fixed(words []*syntax.Word) ([]string, bool) {
	texts := make([]string, 0, len(words))
	for _, word := range words {
		t, ok := text(word)
		if !ok {
			return nil, false
		}
		texts = append(texts, t)
	}
	return texts, true
}

// text returns the text of a word, or false if a shell might expand the word.
func text(word *syntax.Word) (string, bool) {
	if word == nil {
		return "", false
	}
	var b strings.Builder
	for i, part := range word.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, special) || i == 0 && strings.HasPrefix(p.Value, "=") { // in zsh, =program is the path of a program
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			inner, ok := doubleQuoted(p)
			if !ok {
				return "", false
			}
			b.WriteString(inner)
		default:
			return "", false
		}
	}
	return b.String(), true
}

// doubleQuoted returns the text between double quotes, or false if it has expansions.
func doubleQuoted(q *syntax.DblQuoted) (string, bool) {
	if q.Dollar {
		return "", false
	}
	var b strings.Builder
	for _, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok || strings.ContainsAny(lit.Value, "$`!") { // shells differ in "\!"
			return "", false
		}
		b.WriteString(unescape(lit.Value))
	}
	return b.String(), true
}

// unescape removes the backslashes that double quotes remove. The text has no escaped
// dollars or backquotes.
func unescape(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, "\\\n", "").Replace(s)
}
