package codegen

import (
	_ "embed"
	"maps"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
)

// dialectSource declares the globals that only scripts in the answers of models have.
//
//go:embed dialect.ts
var dialectSource string

// Dialect returns a module of the form Declarations with the additions for scripts in
// the answers of models: the flat names of n whose tools have a type in the module,
// also for calls with options, context, and tools.spawn.exec. include selects tools by
// the configured names of their servers and by their ids.
func Dialect(module string, n *naming.Names, include func(server, id string) bool) string {
	types := map[string]string{} // by tool id
	for _, s := range n.Servers {
		for _, t := range s.Tools {
			if include(s.Name, t.ID) {
				types[t.ID] = s.Type + "[" + quoted(t.Ident) + "]"
			}
		}
	}
	root := flatGroup{}
	byName := map[string]string{}
	for path, id := range n.FlatNames() {
		if types[id] != "" {
			root.add(strings.Split(path, "."), types[id])
			byName[path] = types[id]
		}
	}
	var b strings.Builder
	module = strings.Replace(module, "spawn: Spawned<Servers>;", "spawn: Omit<Spawned<Servers>, \"exec\"> & SpawnByName;", 1)
	b.WriteString(strings.Replace(module, "WithOptions<Servers>;", "WithOptions<Servers & FlatMembers>;", 1))
	b.WriteString(dialectSource)
	b.WriteString("export interface FlatMembers ")
	root.write(&b)
	b.WriteString("\nexport interface Tools extends FlatMembers {}\nexport interface FlatTools {\n")
	for _, path := range slices.Sorted(maps.Keys(byName)) {
		b.WriteString("  " + quoted(path) + ": " + byName[path] + ";\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// flatGroup is a flat name with its type, or a group of flat names.
type flatGroup struct {
	kind    string
	members map[string]*flatGroup
}

func (g *flatGroup) add(path []string, kind string) {
	if len(path) == 0 {
		g.kind = kind
		return
	}
	if g.members == nil {
		g.members = map[string]*flatGroup{}
	}
	if g.members[path[0]] == nil {
		g.members[path[0]] = &flatGroup{}
	}
	g.members[path[0]].add(path[1:], kind)
}

func (g *flatGroup) write(b *strings.Builder) {
	if g.kind != "" {
		b.WriteString(g.kind)
		return
	}
	b.WriteString("{\n")
	for _, name := range slices.Sorted(maps.Keys(g.members)) {
		b.WriteString("readonly " + quoted(name) + ": ")
		g.members[name].write(b)
		b.WriteString(";\n")
	}
	b.WriteString("}")
}

func quoted(name string) string {
	text, _ := toolscript.PlainJSON(name) // a string always has a JSON encoding
	return string(text)
}
