package naming

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
)

// claim is a request of a server or tool for a name.
type claim struct {
	id    string // unique among all claims
	want  string
	exact bool // the wanted name is the server's or tool's own name
}

// settle returns a unique name for each claim, and groups of indexes of claims that collided.
// If several claims want one name, the exact claim gets it, and the others get a suffix made
// from their id. So an additional claim never moves a name from one id to another: a script
// still calls the same tool, or fails.
func settle(claims []claim) (names []string, collided [][]int) {
	names = make([]string, len(claims))
	wanted := make(map[string]int, len(claims)) // index of the first claim for a name
	groups := map[int][]int{}                   // claims for the same name, by the index of the first
	for i, c := range claims {
		names[i] = c.want
		first, again := wanted[c.want]
		switch {
		case !again:
			wanted[c.want] = i
		case groups[first] == nil:
			groups[first] = []int{first, i}
		default:
			groups[first] = append(groups[first], i)
		}
	}
	for _, first := range slices.Sorted(maps.Keys(groups)) {
		collided = append(collided, groups[first])
		suffix(claims, groups[first], names, wanted)
	}
	return names, collided
}

// suffix chooses new names for all claims of a group except the exact one.
func suffix(claims []claim, group []int, names []string, wanted map[string]int) {
	marks := make(map[int]string, len(group))
	for _, i := range group {
		if !claims[i].exact {
			marks[i] = mark(claims[i].id)
		}
	}
	for length := 6; ; length++ { // 24 bits; more after a collision
		uses := make(map[string]int, len(marks))
		for _, m := range marks {
			uses[m[:length]]++
		}
		for i, m := range marks {
			name := claims[i].want + "_" + m[:length]
			if _, taken := wanted[name]; uses[m[:length]] == 1 && !taken {
				names[i] = name
				delete(marks, i)
			}
		}
		if len(marks) == 0 {
			return
		}
	}
}

// mark returns a hash of id in small letters.
func mark(id string) string {
	sum := sha256.Sum256([]byte(id))
	letters := make([]byte, 0, 2*len(sum))
	for _, b := range sum {
		letters = append(letters, 'a'+b>>4, 'a'+b&15)
	}
	return string(letters)
}

// describe lists the claims of a group and their names.
func describe(claims []claim, group []int, names []string) string {
	var parts []string
	for _, i := range group {
		parts = append(parts, claims[i].id+" is "+names[i])
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
