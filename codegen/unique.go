package codegen

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
)

// claim is one thing that wants a name.
type claim struct {
	id    string // what it is, unique among all claims
	want  string
	exact bool // its raw name already is want
}

// settle gives every claim a name of its own, in the order of the claims, and
// says which indexes met. Of those that want the same name, the exact one gets
// it and all others get a suffix made from their id. So no name ever passes
// from one id to another when a further claim appears: a script either goes on
// meaning the same tool or fails with the new names.
func settle(claims []claim) (names []string, met [][]int) {
	names = make([]string, len(claims))
	wanted := make(map[string]int, len(claims)) // index of the first that wants it
	groups := map[int][]int{}                   // of several, by the first of them
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
		met = append(met, groups[first])
		suffix(claims, groups[first], names, wanted)
	}
	return names, met
}

// suffix renames all of a group but the exact one to names that nobody wants.
func suffix(claims []claim, group []int, names []string, wanted map[string]int) {
	marks := make(map[int]string, len(group))
	for _, i := range group {
		if !claims[i].exact {
			marks[i] = mark(claims[i].id)
		}
	}
	for length := 6; ; length++ { // 24 bits, and more for those that share them
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

// mark is a hash of id written in small letters.
func mark(id string) string {
	sum := sha256.Sum256([]byte(id))
	letters := make([]byte, 0, 2*len(sum))
	for _, b := range sum {
		letters = append(letters, 'a'+b>>4, 'a'+b&15)
	}
	return string(letters)
}

// describe lists what met and what each is called now.
func describe(claims []claim, group []int, names []string) string {
	var parts []string
	for _, i := range group {
		parts = append(parts, claims[i].id+" is "+names[i])
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
