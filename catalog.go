package toolscript

import (
	"cmp"
	"slices"
)

// Catalog is an immutable snapshot of all tools of all servers. The zero value
// is an empty catalog. It is safe for concurrent use and cheap to copy.
type Catalog struct {
	generation uint64
	servers    []string
	tools      []Tool
	byID       map[string]int
}

// NewCatalog makes the catalog of one generation. servers are the names of all
// configured servers, connected or not: identifiers are chosen among all of
// them, so that a server that connects later does not rename another. Tools
// are sorted by id; of two tools with one id the first is kept.
func NewCatalog(generation uint64, servers []string, tools []Tool) Catalog {
	c := Catalog{
		generation: generation,
		servers:    slices.Clone(servers),
		tools:      slices.Clone(tools),
		byID:       make(map[string]int, len(tools)),
	}
	slices.Sort(c.servers)
	c.servers = slices.Compact(c.servers)
	slices.SortStableFunc(c.tools, func(a, b Tool) int { return cmp.Compare(a.ID(), b.ID()) })
	c.tools = slices.CompactFunc(c.tools, func(a, b Tool) bool { return a.ID() == b.ID() })
	for i, t := range c.tools {
		c.byID[t.ID()] = i
	}
	return c
}

// Generation rises by one with every change of the catalog.
func (c Catalog) Generation() uint64 { return c.generation }

// Servers are the names of all configured servers, sorted.
func (c Catalog) Servers() []string { return slices.Clone(c.servers) }

// Tools are all tools, sorted by id.
func (c Catalog) Tools() []Tool { return slices.Clone(c.tools) }

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
	return NewCatalog(c.generation, c.servers, slices.DeleteFunc(slices.Clone(c.tools), func(t Tool) bool { return !f.Match(t) }))
}
