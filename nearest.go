package toolscript

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// Nearest returns up to n of names that somebody who wrote name may have
// meant, the likeliest first. Names that have little in common with it are left
// out. Its cost is bounded by names alone: what is asked for can be a text of
// megabytes, made by a script.
func Nearest(name string, names []string, n int) []string {
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	name = strings.ToLower(name)
	length := utf8.RuneCountInString(name)
	most := max(2, length/3)
	for _, other := range names {
		lower := strings.ToLower(other)
		contained := len(name) >= 3 && strings.Contains(lower, name)
		if apart := utf8.RuneCountInString(lower) - length; !contained && max(apart, -apart) > most {
			continue // each character too many or too few is a step
		}
		if d := levenshtein.ComputeDistance(name, lower); contained || d <= most {
			near = append(near, candidate{other, d})
		}
	}
	slices.SortFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	var out []string
	for _, c := range near[:min(n, len(near))] {
		out = append(out, c.name)
	}
	return out
}
