package toolscript

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Catalog is an immutable snapshot of all tools of all servers. The zero value
// is an empty catalog. It is safe for concurrent use and cheap to copy.
type Catalog struct {
	generation uint64
	servers    []string
	tools      []Tool
	ids        []string // of tools
	byID       map[string]int
	clashes    []string
}

// NewCatalog makes the catalog of one generation. servers are the names of all
// configured servers, connected or not: identifiers are chosen among all of
// them, so that a server that connects later does not rename another. Tools
// are sorted by id; of two of one server with one name the first is kept. Tools
// of different servers that have one id, as b__c of a and c of a__b, are left out:
// if one stayed, its server could answer for the other by listing it.
func NewCatalog(generation uint64, servers []string, tools []Tool) Catalog {
	c := Catalog{
		generation: generation,
		servers:    slices.Clone(servers),
		tools:      slices.Clone(tools),
	}
	slices.Sort(c.servers)
	c.servers = slices.Compact(c.servers)
	slices.SortStableFunc(c.tools, compareIDs)
	c.settle()
	c.ids = make([]string, len(c.tools))
	c.byID = make(map[string]int, len(c.tools))
	for i, t := range c.tools {
		c.ids[i] = t.ID()
		c.byID[c.ids[i]] = i
	}
	return c
}

// settle leaves at most one tool of each id.
func (c *Catalog) settle() {
	kept := c.tools[:0]
	for rest := c.tools; len(rest) > 0; {
		first := rest[0]
		same := 1
		for same < len(rest) && compareIDs(first, rest[same]) == 0 {
			same++
		}
		if other := slices.IndexFunc(rest[:same], func(t Tool) bool { return t.Server != first.Server }); other < 0 {
			kept = append(kept, first)
		} else {
			c.clashes = append(c.clashes, fmt.Sprintf("tool %q of server %s and tool %q of server %s have one id, %s: neither can be called; rename a server",
				first.Name, first.Server, rest[other].Name, rest[other].Server, first.ID()))
		}
		rest = rest[same:]
	}
	clear(c.tools[len(kept):])
	c.tools = kept
}

// Clashes say which tools were left out because their ids are the same.
func (c Catalog) Clashes() []string { return slices.Clone(c.clashes) }

// compareIDs orders tools by id. It joins the parts of two ids only where the
// name of one server begins with that of the other.
func compareIDs(a, b Tool) int {
	switch {
	case a.Server == b.Server:
		return strings.Compare(a.Name, b.Name)
	case strings.HasPrefix(a.Server, b.Server), strings.HasPrefix(b.Server, a.Server):
		return strings.Compare(a.ID(), b.ID())
	}
	return strings.Compare(a.Server, b.Server)
}

// Generation rises by one with every change of the catalog.
func (c Catalog) Generation() uint64 { return c.generation }

// Servers are the names of all configured servers, sorted.
func (c Catalog) Servers() []string { return slices.Clone(c.servers) }

// Tools are all tools, sorted by id.
func (c Catalog) Tools() []Tool { return slices.Clone(c.tools) }

// All are all tools with their ids, sorted by id.
func (c Catalog) All() iter.Seq2[string, Tool] {
	return func(yield func(string, Tool) bool) {
		for i, id := range c.ids {
			if !yield(id, c.tools[i]) {
				return
			}
		}
	}
}

// Len is the number of tools.
func (c Catalog) Len() int { return len(c.tools) }

// Lookup finds a tool by its whole id.
func (c Catalog) Lookup(id string) (Tool, bool) {
	i, ok := c.byID[id]
	if !ok {
		return Tool{}, false
	}
	return c.tools[i], true
}

// HasServer reports whether a server of that name is configured.
func (c Catalog) HasServer(name string) bool {
	_, ok := slices.BinarySearch(c.servers, name)
	return ok
}

// Filter is the catalog of the tools that f selects, of the same generation.
// All servers stay known to it, so identifiers do not depend on the filter.
func (c Catalog) Filter(f Filter) Catalog {
	if f == nil {
		return c
	}
	m := f.Matcher()
	return NewCatalog(c.generation, c.servers, slices.DeleteFunc(slices.Clone(c.tools), func(t Tool) bool { return !m.Match(t.Server, t.ID()) }))
}
