package lexical

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// stopWords are ignored. "get" is not one of them, because many tools differ only by
// it.
var stopWords = sync.OnceValue(func() map[string]bool {
	return set(`a an the of to in on for with and or is are be this that it its from by as at i me my we you your
	can could please would want need all any some do does how what which into using use based given their them they
	then if there has have was were will so not no about also`)
})

// elsewhere lists the stop words that are also words of other languages.
var elsewhere = sync.OnceValue(func() map[string]bool {
	return set(`a an as at die do has i in is it me no not on or so to was we will`)
})

func set(words string) map[string]bool {
	s := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		s[word] = true
	}
	return s
}

// English reports whether a text has a stop word that only English has.
func English(text string) bool {
	for _, word := range split(text) {
		if word = strings.ToLower(word); stopWords()[word] && !elsewhere()[word] {
			return true
		}
	}
	return false
}

// Foreign reports whether a text is not in English: it has letters that are not Latin, or a
// function word of another language.
func Foreign(text string) bool {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) }) {
		return true
	}
	return !English(text) && slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }), func(word string) bool {
		return functionWords()[word]
	})
}

// functionWords are words that build sentences in the most common languages with Latin letters.
// Words that also occur in English texts, such as die, pour, los and del, are left out.
var functionWords = sync.OnceValue(func() map[string]bool {
	return set(`das und ist nicht ein eine einen einem einer für mit zum zur auf dem ich mir meine meinen meiner wie welche bitte wird werden
	les une avec dans cette mes qui aux sont toutes tous votre nous vous quelle quels être où à
	una para como todos todas mis qué cuál dónde está están por estos esta este hacer
	não você meu minha meus minhas uma são então pelo pela quais
	gli della delle degli nella nelle tutti tutte sono questo questa che perché
	het een voor niet deze alle naar zijn wordt
	jest dla wszystkie oraz przez och för är alla ile için nasıl bir yang dengan untuk của là không`)
})

// firstIdeographic is the first rune of scripts without spaces between words. Each of
// their runes is a token.
const firstIdeographic = 0x2E80

type token struct {
	stem string
	word string // original word in lower case
}

// tokens splits text into words, also at camelCase and snake_case boundaries, removes
// stop words and stems the others.
func tokens(text string) []token {
	var out []token
	for _, word := range split(text) {
		if word = strings.ToLower(word); !stopWords()[word] {
			out = append(out, token{stem: normal(word), word: word})
		}
	}
	return out
}

func split(text string) []string {
	var words []string
	runes := []rune(text)
	start := -1 // start of the current word, or -1
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
		case start >= 0 && isWordStart(runes, i):
			end(i)
			start = i
		case start < 0:
			start = i
		}
	}
	end(len(runes))
	return words
}

// isWordStart reports whether a camelCase word begins at i, as in createIssue and
// HTTPServer.
func isWordStart(runes []rune, i int) bool {
	if !unicode.IsUpper(runes[i]) {
		return false
	}
	if unicode.IsLower(runes[i-1]) {
		return true
	}
	return unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
}

// stem removes the endings of English plurals and verb forms. In doubt, it leaves the
// word unchanged.
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

// short maps abbreviations to full words.
var short = map[string]string{
	"app": "application", "config": "configuration", "db": "database", "dir": "directory", "doc": "documentation",
	"env": "environment", "img": "image", "info": "information", "k8s": "kubernetes", "lib": "library", "msg": "message",
	"org": "organization", "pic": "picture", "repo": "repository", "js": "javascript",
}

// normal returns the stem of a word, after expanding abbreviations.
func normal(word string) string {
	s := stem(word)
	if full, ok := short[s]; ok {
		return stem(full)
	}
	return s
}

// bare completes the stemming of a verb form: planned becomes plan, and created
// becomes creat, which is also the stem of create.
func bare(word string) string {
	n := len(word)
	if last := word[n-1]; last == word[n-2] && !strings.ContainsRune("lsz", rune(last)) {
		word = word[:n-1]
	}
	return strings.TrimSuffix(word, "e")
}

// Spaced separates the words of a name with spaces: createIssue becomes "create
// Issue", and create_issue becomes "create issue".
func Spaced(name string) string { return strings.Join(split(name), " ") }
