package actors

import (
	"context"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/transport/upstream"
)

// builtins returns the servers of built-in tools and of tools in Go, sorted.
func builtins(view catalog.View) (servers []string) {
	for _, s := range view.Servers {
		if upstream.KindOf(s.Type).Flat {
			servers = append(servers, s.Name)
		}
	}
	return servers
}

// Builtins returns the names of the servers of built-in tools and of tools in Go, sorted.
// Scripts of answers call their tools by flat names.
func (s *System) Builtins() []string { return builtins(s.current()) }

// dialectDeclarations returns the types against which a script of an answer is checked.
// The types have only the tools that allow selects.
func (s *System) dialectDeclarations(ctx context.Context, uses runner.Uses, allow toolscript.Filter) (runner.Declarations, error) {
	return s.dialectOf(ctx, s.current, uses, allow)
}

func (s *System) dialectOf(ctx context.Context, look func() catalog.View, uses runner.Uses, allow toolscript.Filter) (runner.Declarations, error) {
	for {
		view := look()
		names := view.Names().WithFlat(builtins(view))
		used := withoutFlat(names, uses)
		if slices.ContainsFunc(used.Servers, naming.IsServer) {
			if err := s.noServers(view); err != nil {
				return runner.Declarations{}, err
			}
		}
		named := choose(names, used).narrow(names, allow)
		base, generation, err := s.base(ctx, view.Catalog.Generation(), named.filter)
		if err != nil {
			return runner.Declarations{}, err
		}
		if generation != view.Catalog.Generation() {
			continue // the catalog has changed meanwhile
		}
		base = open(base, named.open)
		key := base.Key + " " + names.Key + " " + toolscript.DialectHarness + " " + named.filter.Key()
		if last := s.dialect.Load(); last != nil && last.Key == key {
			return *last, nil
		}
		selected := set(named.filter)
		text := codegen.Dialect(base.Text, names, func(server, id string) bool { return selected[server] || selected[id] })
		d := runner.Declarations{Key: key, Text: text}
		s.dialect.Store(&d)
		return d, nil
	}
}

// narrow leaves out the tools that allow does not select, and the servers that it does not
// reach. A server of which only some tools remain is replaced by their ids.
func (c choice) narrow(names *naming.Names, allow toolscript.Filter) choice {
	if allow == nil {
		return c
	}
	var narrowed choice
	allowed := allow.Matcher()
	for _, name := range c.filter {
		if allowed.Server(name) {
			narrowed.filter = append(narrowed.filter, name)
			continue
		}
		server, _ := names.ByName(name)
		for _, tool := range server.Tools {
			if allowed.Match(name, tool.ID) {
				narrowed.filter = append(narrowed.filter, tool.ID)
			}
		}
	}
	for _, ident := range c.open {
		if server, _ := names.Server(ident); slices.ContainsFunc(server.All(), allow.Reaches) {
			narrowed.open = append(narrowed.open, ident)
		}
	}
	return narrowed
}

func set(f toolscript.Filter) map[string]bool {
	entries := make(map[string]bool, len(f))
	for _, entry := range f {
		entries[entry] = true
	}
	return entries
}

// withoutFlat replaces flat names by the servers that have them. An unknown name stays,
// so that the script is checked against all servers.
func withoutFlat(names *naming.Names, uses runner.Uses) runner.Uses {
	if uses.All {
		return uses
	}
	var servers []string
	for _, name := range uses.Servers {
		if flat := names.FlatServers(name); len(flat) > 0 {
			servers = append(servers, flat...)
		} else {
			servers = append(servers, name)
		}
	}
	slices.Sort(servers)
	return runner.Uses{Servers: slices.Compact(servers)}
}
