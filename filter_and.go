package toolscript

import (
	"slices"
	"strings"
)

// both separates the parts of an entry made by And. Such an entry selects what all its
// parts select. The names of servers and tools must not contain this text.
const both = " ∩ "

// And returns a filter that selects what both filters select. Each entry of the result
// is an entry of one of them, or entries of both joined with ∩.
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

// Parts returns the entries that And joined to entry.
func Parts(entry string) []string { return strings.Split(entry, both) }

// meet returns an entry that selects what both a and b select. possible is false if
// they are known to have nothing in common.
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
	// A pattern adds nothing beside a name that it matches, and "*" adds nothing beside other parts.
	kept := slices.DeleteFunc(slices.Clone(parts), func(p string) bool {
		return isPattern(p) && slices.ContainsFunc(parts, func(q string) bool {
			return q != p && (p == "*" || !isPattern(q) && matchAccount(p, q))
		})
	})
	return strings.Join(kept, both), true
}

// agree reports whether both parts may select the same tool. A part that selects a tool
// matches its id, or the name of its server, and the id begins with that name. So two parts
// can only agree if the text before the first wildcard of one begins with that of the other.
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
	case isPattern(p): // q is a tool id or a server name
		plain, start := WithoutAccount(q), fixed(p)
		return covers(p, q) || mayMatchAccount(p, q+Separator) ||
			strings.Contains(p, AccountSeparator) && (strings.HasPrefix(plain, start) || strings.HasPrefix(start, plain))
	}
	p, q = WithoutAccount(p), WithoutAccount(q)
	return p == q || strings.HasPrefix(p, q+Separator) || strings.HasPrefix(q, p+Separator)
}

// anyServer reports whether a part names a member of tools that reaches every server,
// such as $resources.
func anyServer(part string) bool {
	return strings.HasPrefix(part, ResourcesMember) || strings.HasPrefix(part, PromptsMember)
}

// isPattern reports whether a part of an entry has wildcards.
func isPattern(part string) bool {
	return strings.IndexByte(part, '*') >= 0 || strings.IndexByte(part, '?') >= 0
}

// fixed returns the text before the first wildcard or account.
func fixed(pattern string) string { return WithoutAccount(pattern[:strings.IndexAny(pattern, "*?")]) }

// selects reports whether an entry selects a tool of a server.
func selects(entry, server, id string) bool {
	return allParts(entry, func(part string) bool { return matchAccount(part, server) || matchAccount(part, id) })
}

// covers reports whether a part matches an id, or the name of a server with which the
// id may begin.
func covers(part, id string) bool {
	plain := WithoutAccount(id)
	return coversName(part, id) || plain != id && coversName(part, plain)
}

func coversName(part, id string) bool {
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
		at += end + 1 // a server name may end, or a tool name begin, with _
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
