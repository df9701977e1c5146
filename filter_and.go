package toolscript

import (
	"slices"
	"strings"
)

// both stands between the parts of an entry that selects what all of its parts select. The
// entries of And have it. It must not be a text that names of servers and tools have.
const both = " ∩ "

// And returns a filter that selects what both filters select. An entry of the result is an
// entry of one of them, or joins entries of both with ∩.
func (f Filter) And(other Filter) Filter {
	switch {
	case f == nil:
		return other
	case other == nil:
		return f
	}
	joined, seen := Filter{}, map[string]bool{}
	for _, a := range f {
		for _, b := range other {
			if entry, possible := meet(a, b); possible && !seen[entry] {
				seen[entry] = true
				joined = append(joined, entry)
			}
		}
	}
	return joined
}

// Parts are the entries of the filters that And joined to an entry.
func Parts(entry string) []string { return strings.Split(entry, both) }

// meet returns an entry that selects what both entries select. It is not possible if that
// is known to be nothing.
func meet(a, b string) (entry string, possible bool) {
	parts := slices.Concat(Parts(a), Parts(b))
	slices.Sort(parts)
	parts = slices.Compact(parts)
	for i, p := range parts {
		for _, q := range parts[i+1:] {
			if !agree(p, q) {
				return "", false
			}
		}
	}
	// A pattern that matches a name selects all that the name selects.
	kept := slices.DeleteFunc(slices.Clone(parts), func(p string) bool {
		return isPattern(p) && slices.ContainsFunc(parts, func(q string) bool {
			return q != p && (p == "*" || !isPattern(q) && MatchName(p, q))
		})
	})
	return strings.Join(kept, both), true
}

// agree reports whether one tool may be selected by both parts. A part matches the id of the
// tool or its server, with which the id begins; so of the fixed beginnings of two parts one
// begins with the other.
func agree(p, q string) bool {
	if anyServer(p) || anyServer(q) {
		return true
	}
	switch {
	case isPattern(p) && isPattern(q):
		p, q = fixed(p), fixed(q)
		return strings.HasPrefix(p, q) || strings.HasPrefix(q, p)
	case isPattern(q):
		p, q = q, p
		fallthrough
	case isPattern(p): // q is the id of a tool, or a server
		return covers(p, q) || MayMatch(p, q+Separator)
	}
	return p == q || strings.HasPrefix(p, q+Separator) || strings.HasPrefix(q, p+Separator)
}

// anyServer reports whether a part is a member of tools that reaches any server, such as
// $resources.
func anyServer(part string) bool {
	return strings.HasPrefix(part, ResourcesMember) || strings.HasPrefix(part, PromptsMember)
}

// isPattern reports whether a part of an entry is not a name alone.
func isPattern(part string) bool {
	return strings.IndexByte(part, '*') >= 0 || strings.IndexByte(part, '?') >= 0
}

// fixed is the text before the first wildcard.
func fixed(pattern string) string { return pattern[:strings.IndexAny(pattern, "*?")] }

// selects reports whether an entry selects a tool of a server.
func selects(entry, server, id string) bool {
	return allParts(entry, func(part string) bool { return MatchName(part, server) || MatchName(part, id) })
}

// covers reports whether a part matches an id, or a name of a server with which the id may
// begin.
func covers(part, id string) bool {
	if !isPattern(part) {
		return part == id || strings.HasPrefix(id, part+Separator)
	}
	for at := 0; ; {
		end := strings.Index(id[at:], Separator)
		if end < 0 {
			return MatchName(part, id)
		}
		if MatchName(part, id[:at+end]) {
			return true
		}
		at += end + 1 // a name may begin or end with _
	}
}

func allParts(entry string, holds func(part string) bool) bool {
	for part := range strings.SplitSeq(entry, both) {
		if !holds(part) {
			return false
		}
	}
	return true
}
