package naming

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// longest is the maximum length of names that are compared, in characters. It bounds the
// cost, which grows with the product of two lengths: names come from scripts and servers.
const longest = 200

// DidYouMean returns the end of an error message that suggests names; "" if names is
// empty.
func DidYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(names, " or ") + "?"
}

// Nearest returns up to n of names whose spelling is similar to name, nearest first.
// Its cost does not grow with the length of name, which may have megabytes.
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
			continue // the distance is at least the difference of the lengths
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

// Similarity returns the similarity of two short texts by their letters, from 0 for
// texts without common letters to 1 for equal texts.
func Similarity(a, b string) float64 {
	longer := max(utf8.RuneCountInString(a), utf8.RuneCountInString(b), 1)
	return 1 - float64(levenshtein.ComputeDistance(strings.ToLower(a), strings.ToLower(b)))/float64(longer)
}
