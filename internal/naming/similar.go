package naming

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// leastSimilar is the minimum score of a suggested name, from 0 to 1.
const leastSimilar = 0.34

// Similar returns up to n of names that are similar to name, most similar first. Two names are
// similar by their letters, as in Nearest, or by common words, such as readFile and
// readTextFile. Names for which last returns true come after all others; last may be nil. The
// cost does not grow with the length of name.
func Similar(name string, names []string, n int, last func(string) bool) []string {
	type candidate struct {
		name     string
		last     bool
		score    float64
		distance int
	}
	near := Nearest(name, names, len(names))
	asked := wordsOf(name)
	var all []candidate
	for _, other := range names {
		score := common(asked, wordsOf(other))
		if at := slices.Index(near, other); at >= 0 {
			score = max(score, 0.9-0.5*float64(at)/float64(len(near)))
		}
		if score >= leastSimilar {
			short := name[:min(len(name), longest)]
			all = append(all, candidate{other, last != nil && last(other), score, levenshtein.ComputeDistance(short, other)})
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		if a.last != b.last {
			return map[bool]int{true: 1, false: -1}[a.last]
		}
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	var out []string
	for _, c := range all[:min(n, len(all))] {
		out = append(out, c.name)
	}
	return out
}

// wordsOf returns the words of a name such as readTextFile or read-text_file, in lower
// case.
func wordsOf(name string) (words []string) {
	if len(name) > longest {
		name = strings.ToValidUTF8(name[:longest], "")
	}
	start, before := 0, rune(0)
	add := func(end int) {
		if word := strings.ToLower(strings.TrimFunc(name[start:end], func(r rune) bool { return !isPartOfWord(r) })); word != "" {
			words = append(words, word)
		}
		start = end
	}
	for i, r := range name {
		if !isPartOfWord(r) || unicode.IsUpper(r) && unicode.IsLower(before) {
			add(i)
		}
		before = r
	}
	add(len(name))
	return words
}

func isPartOfWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// common returns the share of words that two names have in common, from 0 to 1. Two words that
// differ in one letter count almost as much as equal words, and so does a word that is a
// prefix of the other.
func common(a, b []string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	const almost = 0.9 // score of similar words
	same := 0.0
	for _, word := range a {
		switch {
		case slices.Contains(b, word):
			same++
		case slices.ContainsFunc(b, func(other string) bool { return similarWords(word, other) }):
			same += almost
		}
	}
	return 2 * same / float64(len(a)+len(b))
}

func similarWords(a, b string) bool {
	const letters = 4 // minimum length of words that may differ in a letter
	short := min(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
	if short >= 3 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) {
		return true
	}
	return short >= letters && levenshtein.ComputeDistance(a, b) <= 1
}
