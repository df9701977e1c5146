package lexical

import (
	"strings"
	"unicode"
)

// stopWords say nothing about a tool. "get" is not one of them: many tools
// differ by nothing else.
var stopWords = set(`a an the of to in on for with and or is are be this that it its from by as at i me my we you your
	can could please would want need all any some do does how what which into using use based given their them they
	then if there has have was were will so not no about also`)

func set(words string) map[string]bool {
	s := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		s[word] = true
	}
	return s
}

// firstIdeographic is where scripts begin that put no blanks between words; a
// rune of theirs is a token.
const firstIdeographic = 0x2E80

// token is one word of a text.
type token struct {
	stem string
	word string // as written, in lower case
}

// tokens splits text into words, also inside camelCase and snake_case, drops
// those that say nothing and stems the others.
func tokens(text string) []token {
	var out []token
	for _, word := range split(text) {
		if word = strings.ToLower(word); !stopWords[word] {
			out = append(out, token{stem: stem(word), word: word})
		}
	}
	return out
}

func split(text string) []string {
	var words []string
	runes := []rune(text)
	start := -1 // of the word that is open, or -1
	end := func(at int) {
		if start >= 0 {
			words = append(words, string(runes[start:at]))
		}
		start = -1
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end(i)
		case r >= firstIdeographic:
			end(i)
			words = append(words, string(r))
		case start >= 0 && humps(runes, i):
			end(i)
			start = i
		case start < 0:
			start = i
		}
	}
	end(len(runes))
	return words
}

// humps reports whether a word of camelCase begins at i: createIssue, HTTPServer.
func humps(runes []rune, i int) bool {
	if !unicode.IsUpper(runes[i]) {
		return false
	}
	if unicode.IsLower(runes[i-1]) {
		return true
	}
	return unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
}

// stem cuts the endings of English plurals and verb forms. It errs on the side
// of leaving a word as it is.
func stem(word string) string {
	n := len(word)
	ends := func(suffix string) bool { return strings.HasSuffix(word, suffix) }
	switch {
	case n > 5 && ends("ies"):
		return word[:n-3] + "y"
	case n > 6 && ends("ing"):
		return bare(word[:n-3])
	case n > 5 && ends("ed"):
		return bare(word[:n-2])
	case n > 4 && (ends("ses") || ends("xes")), n > 5 && (ends("ches") || ends("shes")):
		return word[:n-2]
	case n > 3 && ends("s") && !ends("ss") && !ends("us") && !ends("is"):
		return strings.TrimSuffix(word[:n-1], "e")
	case n > 4:
		return strings.TrimSuffix(word, "e")
	}
	return word
}

// bare is what is left of a verb form: planned is plan, created is creat, as
// create is.
func bare(word string) string {
	n := len(word)
	if last := word[n-1]; last == word[n-2] && !strings.ContainsRune("lsz", rune(last)) {
		word = word[:n-1]
	}
	return strings.TrimSuffix(word, "e")
}

// Spaced is a name with its words apart: createIssue and create_issue are
// "create Issue" and "create issue".
func Spaced(name string) string { return strings.Join(split(name), " ") }
