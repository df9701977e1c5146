package naming

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// longest is the length in characters up to which names are compared: the cost grows
// with the product of two lengths, and names come from scripts and servers.
const longest = 200

// DidYouMean returns the end of an error message that suggests names, and "" without
// names.
func DidYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(names, " or ") + "?"
}

// Nearest returns up to n of names that are spelled almost like name, the nearest
// first. The length of name does not affect the cost: names may have megabytes.
func Nearest(name string, names []string, n int) []string {
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	name = strings.ToLower(name)
	length := utf8.RuneCountInString(name)
	if length > longest {
		return nil
	}
	most := max(2, length/3)
	for _, other := range names {
		lower := strings.ToLower(other)
		contained := len(name) >= 3 && strings.Contains(lower, name)
		if len(lower) > utf8.UTFMax*longest {
			continue
		}
		if apart := utf8.RuneCountInString(lower) - length; !contained && max(apart, -apart) > most {
			continue // the distance is at least the difference in length
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

// Similarity compares the letters of two short texts. It returns 1 for equal texts
// and 0 for texts without common letters.
func Similarity(a, b string) float64 {
	longer := max(utf8.RuneCountInString(a), utf8.RuneCountInString(b), 1)
	return 1 - float64(levenshtein.ComputeDistance(strings.ToLower(a), strings.ToLower(b)))/float64(longer)
}
