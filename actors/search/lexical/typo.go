package lexical

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// What a stem that only resembles the query's word is worth.
const (
	prefixWeight        = 0.7
	transpositionWeight = 0.8
	editWeight          = 0.2 // is taken off for each edit
)

// vocabulary holds the stems of an index, grouped by length in runes: a word
// can only be a misspelling of words of nearly its length.
type vocabulary struct {
	byLength [][]stemEntry
	sorted   []string
}

type stemEntry struct {
	stem string
	mask uint64 // which letters it has
}

// match is a stem that a query's word may stand for.
type match struct {
	stem   string
	weight float64
}

func (v *vocabulary) add(stem string) {
	n := len([]rune(stem))
	for len(v.byLength) <= n {
		v.byLength = append(v.byLength, nil)
	}
	v.byLength[n] = append(v.byLength[n], stemEntry{stem: stem, mask: letters(stem)})
	v.sorted = append(v.sorted, stem)
}

func (v *vocabulary) sort() {
	slices.Sort(v.sorted)
	for _, entries := range v.byLength {
		slices.SortFunc(entries, func(a, b stemEntry) int { return cmp.Compare(a.stem, b.stem) })
	}
}

// resembling finds the stems that word, which is none, may be a beginning or a
// misspelling of.
func (v *vocabulary) resembling(word string) []match {
	runes := []rune(word)
	if len(runes) < 3 {
		return nil
	}
	var found []match
	if len(runes) >= 4 {
		at, _ := slices.BinarySearch(v.sorted, word)
		for _, stem := range v.sorted[at:] {
			if !strings.HasPrefix(stem, word) {
				break
			}
			found = append(found, match{stem, prefixWeight})
		}
	}
	return append(found, v.misspelt(word, runes)...)
}

// misspelt compares with the stems that have nearly the same length and letters:
// each edit changes at most two of the letters that occur.
func (v *vocabulary) misspelt(word string, runes []rune) []match {
	allowed := 1
	if len(runes) >= 8 {
		allowed = 2
	}
	var found []match
	mask := letters(word)
	for n := max(len(runes)-allowed, 1); n <= len(runes)+allowed && n < len(v.byLength); n++ {
		for _, entry := range v.byLength[n] {
			if bits.OnesCount64(mask&^entry.mask) > allowed || bits.OnesCount64(entry.mask&^mask) > allowed {
				continue
			}
			if len(runes) >= 4 && strings.HasPrefix(entry.stem, word) {
				continue // found as a prefix
			}
			if len(runes) >= 4 && n >= 3 && transposed(runes, []rune(entry.stem)) {
				found = append(found, match{entry.stem, transpositionWeight})
			} else if d := levenshtein.ComputeDistance(word, entry.stem); d <= allowed {
				found = append(found, match{entry.stem, 1 - editWeight*float64(d)})
			}
		}
	}
	return found
}

// transposed reports whether two neighbours have changed places; Levenshtein's
// distance counts that as two edits.
func transposed(a, b []rune) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) - 1 {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && slices.Equal(a[i+2:], b[i+2:])
		}
	}
	return false
}

// letters is a set of the runes of a word, one of 64 bits each.
func letters(word string) uint64 {
	var mask uint64
	for _, r := range word {
		mask |= 1 << (uint(r) % 64)
	}
	return mask
}
