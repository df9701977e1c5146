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
	ids        []string // ids[i] is the id of tools[i]
	byID       map[string]int
	clashes    []string
	skills     []Tool
	appTools   []Tool // tools that a model must not see; not in tools
}

// NewCatalog returns the catalog of one generation.
//
// servers are the names of all configured servers, connected or not: identifiers are chosen
// among all of them, so that a server that connects later does not rename another. The first
// account of a server is its default account.
//
// The catalog sorts tools by id. If a server lists a tool twice, NewCatalog keeps the first
// one. If tools of different servers have the same id, such as tool b__c of server a and tool
// c of server a__b, NewCatalog drops all of them: otherwise a server could take over the calls
// of another one by listing such a tool. Skills, and tools that a model must not see, are in
// separate lists: see Skills and AppTools.
func NewCatalog(generation uint64, servers []string, tools []Tool) Catalog {
	c := Catalog{
		generation: generation,
		servers:    slices.Clone(servers),
		tools:      slices.Clone(tools),
	}
	slices.SortStableFunc(c.servers, func(a, b string) int { return strings.Compare(WithoutAccount(a), WithoutAccount(b)) })
	c.servers = slices.Compact(c.servers)
	slices.SortStableFunc(c.tools, compareIDs)
	c.separate()
	c.settle()
	c.hideAppTools()
	c.ids = make([]string, len(c.tools))
	c.byID = make(map[string]int, len(c.tools))
	for i, t := range c.tools {
		c.ids[i] = t.ID()
		c.byID[c.ids[i]] = i
	}
	return c
}

// separate moves the skills from c.tools to c.skills.
func (c *Catalog) separate() {
	isSkill := func(t Tool) bool { return t.Skill != nil }
	if !slices.ContainsFunc(c.tools, isSkill) {
		return
	}
	c.skills = slices.DeleteFunc(slices.Clone(c.tools), func(t Tool) bool { return !isSkill(t) })
	c.skills = slices.CompactFunc(c.skills, func(a, b Tool) bool { return compareIDs(a, b) == 0 })
	c.tools = slices.DeleteFunc(c.tools, isSkill)
}

// hideAppTools moves the tools that a model must not see from c.tools to c.appTools.
func (c *Catalog) hideAppTools() {
	if slices.ContainsFunc(c.tools, func(t Tool) bool { return !t.ForModels() }) {
		c.appTools = slices.DeleteFunc(slices.Clone(c.tools), Tool.ForModels)
		c.tools = slices.DeleteFunc(c.tools, func(t Tool) bool { return !t.ForModels() })
	}
}

// settle leaves at most one tool for each id in c.tools. It records ids that several servers have
// in c.clashes.
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

// Clashes returns a message for each pair of tools that were left out because their ids are equal.
func (c Catalog) Clashes() []string { return slices.Clone(c.clashes) }

// compareIDs orders tools by id. It builds the ids only if the name of one server
// begins with the name of the other.
func compareIDs(a, b Tool) int {
	switch {
	case a.Server == b.Server:
		return strings.Compare(a.Name, b.Name)
	case strings.HasPrefix(a.Server, b.Server), strings.HasPrefix(b.Server, a.Server):
		return strings.Compare(a.ID(), b.ID())
	}
	return strings.Compare(a.Server, b.Server)
}

// Generation returns the generation, which grows by one with every change of the catalog.
func (c Catalog) Generation() uint64 { return c.generation }

// Servers returns the names of all configured servers, sorted. The accounts of a server keep
// the order in which NewCatalog got them.
func (c Catalog) Servers() []string { return slices.Clone(c.servers) }

// Tools returns all tools that a model may see, sorted by id.
func (c Catalog) Tools() []Tool { return slices.Clone(c.tools) }

// Skills returns all skills, sorted by id.
func (c Catalog) Skills() []Tool { return slices.Clone(c.skills) }

// Listed returns all tools and skills, with AppTools.
func (c Catalog) Listed() []Tool { return slices.Concat(c.tools, c.skills, c.appTools) }

// All iterates over the tools and their ids, sorted by id.
func (c Catalog) All() iter.Seq2[string, Tool] {
	return func(yield func(string, Tool) bool) {
		for i, id := range c.ids {
			if !yield(id, c.tools[i]) {
				return
			}
		}
	}
}

// Len returns the number of tools.
func (c Catalog) Len() int { return len(c.tools) }

// Lookup returns the tool with the given id, if a model may see it; see Find.
func (c Catalog) Lookup(id string) (Tool, bool) {
	i, ok := c.byID[id]
	if !ok {
		return Tool{}, false
	}
	return c.tools[i], true
}

// HasServer reports whether a server of the given name is configured. The name of a server with
// accounts may lack the account.
func (c Catalog) HasServer(name string) bool {
	return slices.ContainsFunc(c.servers, func(server string) bool { return server == name || WithoutAccount(server) == name })
}

// Filter returns the catalog of the tools and skills that f selects, with the same generation. It
// keeps all servers, so that identifiers do not depend on the filter.
func (c Catalog) Filter(f Filter) Catalog {
	if f == nil {
		return c
	}
	m := f.Matcher()
	return NewCatalog(c.generation, c.servers, slices.DeleteFunc(c.Listed(), func(t Tool) bool { return !m.Selects(t) }))
}

// Accounts returns the accounts of the server with the given name, the default first. The name
// may have an account. Without accounts, the result is nil.
func (c Catalog) Accounts(server string) (accounts []string) {
	plain := WithoutAccount(server)
	for _, name := range c.servers {
		if other, account := CutAccount(name); other == plain && account != "" {
			accounts = append(accounts, account)
		}
	}
	return accounts
}

// OneAccount returns the catalog for listings. If several accounts of a server have the same tool or
// skill, the result only has that of the first such account.
func (c Catalog) OneAccount() Catalog {
	if !slices.ContainsFunc(c.servers, func(server string) bool { return WithoutAccount(server) != server }) {
		return c
	}
	rank, first := map[string]int{}, map[string]string{} // by server; by id without the account
	for i, server := range c.servers {
		rank[server] = i
	}
	all := c.Listed()
	for _, t := range all {
		plain := WithoutAccount(t.ID())
		if best, seen := first[plain]; !seen || rank[t.Server] < rank[best] {
			first[plain] = t.Server
		}
	}
	return NewCatalog(c.generation, c.servers, slices.DeleteFunc(all, func(t Tool) bool { return first[WithoutAccount(t.ID())] != t.Server }))
}
