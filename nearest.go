package toolscript

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns up to n of names that somebody who wrote name may have
// meant, the likeliest first. Names that have little in common with it are left
// out.
func Nearest(name string, names []string, n int) []string {
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	lower := strings.ToLower(name)
	for _, other := range names {
		d := levenshtein.ComputeDistance(lower, strings.ToLower(other))
		contained := len(lower) >= 3 && strings.Contains(strings.ToLower(other), lower)
		if contained || d <= max(2, len(name)/3) {
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
