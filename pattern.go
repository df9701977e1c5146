package toolscript

import "strings"

// MatchName reports whether a pattern matches the whole name of a tool or a server: *
// matches any characters, and ? matches one. path.Match does not fit: its * stops at a
// slash, which MCP allows in tool names, and its [ can make a pattern malformed.
func MatchName(pattern, name string) bool {
	if pattern == name {
		return true
	}
	if !strings.ContainsAny(pattern, "*?") {
		return false
	}
	return glob([]rune(pattern), []rune(name))
}

// MayMatch reports whether a pattern can match a name that begins with prefix.
func MayMatch(pattern, prefix string) bool {
	p := []rune(pattern)
	at := map[int]bool{0: true} // lengths of the parts of the pattern that prefix may have matched so far
	for _, r := range prefix {
		next := map[int]bool{}
		for i := range at {
			for ; i < len(p) && p[i] == '*'; i++ {
				next[i] = true
			}
			if i < len(p) && (p[i] == '?' || p[i] == r) {
				next[i+1] = true
			}
		}
		at = next
	}
	return len(at) > 0
}

// glob backtracks only to the last star. This is sufficient, and bounds the work by the
// product of the two lengths.
func glob(pattern, name []rune) bool {
	p, n := 0, 0
	star, from := -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p++
			n++
		case star >= 0:
			from++
			p, n = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
