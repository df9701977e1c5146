package lexical

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// Weights of matches that are not exact.
const (
	completedWeight = 0.7 // the query's word is a prefix of the term
	joinedWeight    = 0.8 // two words of the query form the term
	splitWeight     = 0.9 // the term is a part of the query's word
)

// match is a term that matches a query's word.
type match struct {
	term   int32
	weight float64
	kind   kind
	place  place
}

// kind is the reason of a match.
type kind uint8

const (
	exact kind = iota
	corrected
	completed
	synonym
	guessed // corrected to a word with another first letter, which may be wrong: "gather" to "weather"
)

// vocabulary has the words of an index, grouped by length in runes, because a
// misspelled word has nearly the same length.
type vocabulary struct {
	byLength [][]entry
	sorted   []entry
}

type entry struct {
	word  string
	mask  uint64 // set of its letters; see letters
	term  int32
	first int32 // length of the first word of a name without separators
}

func (v *vocabulary) add(word string, term int32, first int) {
	n := utf8.RuneCountInString(word)
	for len(v.byLength) <= n {
		v.byLength = append(v.byLength, nil)
	}
	e := entry{word: word, mask: letters(word), term: term, first: int32(first)}
	v.byLength[n] = append(v.byLength[n], e)
	v.sorted = append(v.sorted, e)
}

func (v *vocabulary) sort() {
	byWord := func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.word, b.word), cmp.Compare(a.first, b.first))
	}
	slices.SortFunc(v.sorted, byWord)
	for _, entries := range v.byLength {
		slices.SortFunc(entries, byWord)
	}
}

// maxCorrected is the longest word that is corrected, in runes.
const maxCorrected = 40

// resembling returns the terms similar to an unknown word: corrections and
// completions.
func (v *vocabulary) resembling(word string) []match {
	runes := []rune(word)
	if len(runes) < 3 || len(runes) > maxCorrected {
		return nil
	}
	found := map[int32]match{}
	v.correct(runes, letters(word), found)
	if len(runes) >= 4 {
		v.complete(word, len(runes), found)
	}
	all := make([]match, 0, len(found))
	for _, m := range found {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.term, b.term))
	})
	return all
}

// complete finds the terms that begin with a word. For a name without separators, the
// word must be longer than the name's first word, which is a term too.
func (v *vocabulary) complete(word string, length int, found map[int32]match) {
	at, _ := slices.BinarySearchFunc(v.sorted, word, func(e entry, word string) int { return cmp.Compare(e.word, word) })
	for _, e := range v.sorted[at:] {
		if !strings.HasPrefix(e.word, word) {
			break
		}
		if int(e.first) < length {
			better(found, match{term: e.term, weight: completedWeight, kind: completed})
		}
	}
}

func better(found map[int32]match, m match) {
	if m.weight > found[m.term].weight {
		found[m.term] = m
	}
}

// edits returns the maximum edit distance for a word of n letters.
func edits(n int) int {
	if n <= 4 {
		return 1
	}
	return 2
}

// correct finds the words with the smallest edit distance. One edit adds and removes
// at most one letter of the set, so the sets of letters exclude most words.
func (v *vocabulary) correct(runes []rune, mask uint64, found map[int32]match) {
	allowed := edits(len(runes))
	var d distances
	var near []entry
	var other []rune
	for n := max(len(runes)-allowed, 2); n <= len(runes)+allowed && n < len(v.byLength); n++ {
		for _, e := range v.byLength[n] {
			if bits.OnesCount64(mask&^e.mask) > allowed || bits.OnesCount64(e.mask&^mask) > allowed {
				continue
			}
			other = append(other[:0], []rune(e.word)...)
			away := d.between(runes, other)
			if away < allowed {
				allowed, near = away, near[:0]
			}
			if away <= allowed {
				near = append(near, e)
			}
		}
	}
	for _, e := range near {
		m := match{term: e.term, weight: 1 - float64(allowed)/float64(len(runes)), kind: corrected}
		if first, _ := utf8.DecodeRuneInString(e.word); allowed > 1 && first != runes[0] {
			m.kind = guessed
		}
		better(found, m)
	}
}

// distances computes edit distances between words. An edit adds, removes or replaces
// a letter, or swaps two neighbours.
type distances struct {
	rows [3][maxCorrected + 4]int
}

func (d *distances) between(a, b []rune) int {
	before, last, row := &d.rows[0], &d.rows[1], &d.rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// letters returns the set of the runes of a word, one bit of 64 for each.
func letters(word string) uint64 {
	var mask uint64
	for _, r := range word {
		mask |= 1 << (uint(r) % 64)
	}
	return mask
}

// minPart is the minimum length of the parts that split returns.
const minPart = 3

// split divides an unknown word into words of names. It returns nil if the word does
// not consist of such words only.
func (x *Index) split(word string) []term {
	if len(word) < 2*minPart || len(word) > maxCorrected {
		return nil
	}
	cuts := make([]int, len(word)+1) // by length of a prefix: the start of its last part
	parts := make([]int, len(word)+1)
	for end := minPart; end <= len(word); end++ {
		for start := 0; start <= end-minPart; start++ {
			if (start == 0 || parts[start] > 0) && x.parts[word[start:end]] && (parts[end] == 0 || parts[start]+1 < parts[end]) {
				cuts[end], parts[end] = start, parts[start]+1
			}
		}
	}
	if parts[len(word)] < 2 {
		return nil
	}
	var terms []term
	for end := len(word); end > 0; end = cuts[end] {
		part := word[cuts[end]:end]
		if id, known := x.terms[normal(part)]; known {
			terms = append(terms, term{part, []match{{term: id, weight: splitWeight, kind: corrected}}})
		}
	}
	slices.Reverse(terms)
	return terms
}
