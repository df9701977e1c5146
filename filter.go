package toolscript

import (
	"fmt"
	"slices"
	"strings"
)

// Filter selects tools by server names and tool ids. A nil filter selects all tools. An
// empty filter selects none. Unknown entries select nothing.
type Filter []string

// ParseFilter reads a list with commas, as in ?filter= and --filter. The filter of an
// empty list is nil.
func ParseFilter(text string) Filter {
	var f Filter
	for entry := range strings.SplitSeq(text, ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			f = append(f, entry)
		}
	}
	return f
}

// Match reports whether the filter selects the tool.
func (f Filter) Match(t Tool) bool {
	return f == nil || slices.Contains(f, t.Server) || slices.Contains(f, t.ID())
}

// Covers reports whether the filter has an id, or a server that the id begins with.
func (f Filter) Covers(id string) bool {
	return f == nil || slices.ContainsFunc(f, func(entry string) bool {
		return entry == id || strings.HasPrefix(id, entry+Separator)
	})
}

// SharesServer reports whether a tool that is not in the catalog may belong to a server
// of the filter. Names of servers may contain the separator, so it can report true for
// tools of other servers.
func (f Filter) SharesServer(id string) bool {
	first, _, _ := strings.Cut(id, Separator)
	return f == nil || slices.ContainsFunc(f, func(entry string) bool {
		other, _, _ := strings.Cut(entry, Separator)
		return other == first
	})
}

// Reaches reports whether the filter can select tools of a server. The tools of a server
// that is not connected are unknown: all entries that begin with its name count.
func (f Filter) Reaches(server string) bool {
	return f == nil || slices.ContainsFunc(f, func(entry string) bool {
		return entry == server || strings.HasPrefix(entry, server+Separator)
	})
}

// String returns the list that ParseFilter reads.
func (f Filter) String() string {
	if f != nil && len(f) == 0 {
		return "(none)"
	}
	return strings.Join(f, ",")
}

// Key returns a text that is equal only for equal filters. Entries are quoted, because
// the name of a tool can have commas.
func (f Filter) Key() string {
	if f == nil {
		return ""
	}
	return fmt.Sprintf("%q", []string(f))
}
