package toolscript

import (
	"fmt"
	"slices"
	"strings"
)

// Filter selects tools by server names, tool ids and patterns of these; see MatchName. An
// entry without an account selects all accounts of a server. An entry made by And selects
// the tools that all its parts select. A nil filter selects all tools, an empty filter none.
// Unknown entries select nothing.
type Filter []string

// ParseFilter parses a comma-separated list, as in ?filter= and --filter. For an empty
// list it returns nil.
func ParseFilter(text string) Filter {
	var f Filter
	for entry := range strings.SplitSeq(text, ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			f = append(f, entry)
		}
	}
	return f
}

// Match reports whether the filter selects the tool. For many tools, a Matcher is faster.
func (f Filter) Match(t Tool) bool {
	if f == nil {
		return true
	}
	id := t.ID()
	return slices.ContainsFunc(f, func(entry string) bool {
		return selects(entry, t.Server, id) || t.Skill != nil && selects(entry, t.Server, t.shortID())
	})
}

// Covers reports whether the filter has an entry for the id, or for a server with whose name the id begins.
func (f Filter) Covers(id string) bool {
	return f == nil || slices.ContainsFunc(f, func(entry string) bool {
		return allParts(entry, func(part string) bool { return covers(part, id) })
	})
}

// SharesServer reports whether a tool that is not in the catalog may belong to a server
// of the filter. Because server names may contain the separator, it can report true for
// tools of other servers.
func (f Filter) SharesServer(id string) bool {
	first, _, _ := strings.Cut(id, Separator)
	return f == nil || slices.ContainsFunc(f, func(entry string) bool {
		return allParts(entry, func(part string) bool {
			if isPattern(part) {
				return mayMatchAccount(part, first)
			}
			other, _, _ := strings.Cut(part, Separator)
			return matchAccount(other, first)
		})
	})
}

// Reaches reports whether the filter can select tools of a server. Because the tools of a server
// that is not connected are unknown, every entry that begins with the name of the server counts.
func (f Filter) Reaches(server string) bool {
	return f == nil || slices.ContainsFunc(f, func(entry string) bool {
		return allParts(entry, func(part string) bool {
			return matchAccount(part, server) || strings.HasPrefix(part, server+Separator) || strings.HasPrefix(part, WithoutAccount(server)+Separator) ||
				isPattern(part) && mayMatchAccount(part, server+Separator)
		})
	})
}

// String returns the list that ParseFilter parses; "(none)" for an empty filter.
func (f Filter) String() string {
	if f != nil && len(f) == 0 {
		return "(none)"
	}
	return strings.Join(f, ",")
}

// Key returns a string that is equal only for equal filters. It quotes entries, because
// a tool name may contain commas.
func (f Filter) Key() string {
	if f == nil {
		return ""
	}
	return fmt.Sprintf("%q", []string(f))
}

// Matcher is a Filter prepared for matching many tools.
type Matcher struct {
	all   bool
	names map[string]bool
	rest  []string // patterns, and entries made by And
}

// Matcher returns the prepared filter.
func (f Filter) Matcher() *Matcher {
	m := &Matcher{all: f == nil, names: make(map[string]bool, len(f))}
	for _, entry := range f {
		if isPattern(entry) || strings.Contains(entry, both) {
			m.rest = append(m.rest, entry)
		} else {
			m.names[entry] = true
		}
	}
	return m
}

// Match reports whether the filter selects the tool with the given server and id.
func (m *Matcher) Match(server, id string) bool {
	return m.all || m.names[server] || m.names[id] || m.plain(server) || m.plain(id) ||
		slices.ContainsFunc(m.rest, func(entry string) bool { return selects(entry, server, id) })
}

// plain reports whether name has an account, and the filter has an entry for name without the account.
func (m *Matcher) plain(name string) bool {
	plain := WithoutAccount(name)
	return plain != name && m.names[plain]
}

// Selects reports whether the filter selects a tool or a skill.
func (m *Matcher) Selects(t Tool) bool {
	return m.Match(t.Server, t.ID()) || t.Skill != nil && m.Match(t.Server, t.shortID())
}

// Server reports whether the filter selects all tools of a server.
func (m *Matcher) Server(name string) bool { return m.Match(name, name) }

// Patterns reports whether the filter has entries other than plain names.
func (m *Matcher) Patterns() bool { return len(m.rest) > 0 }
