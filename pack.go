package toolscript

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ToolPack is a named list of tools: first the tools of the packs that it extends, then its
// own. An entry of Tools is the name of a built-in tool, or the id of a tool of a server.
type ToolPack struct {
	Extends []string
	Tools   []string
}

// AllTools is the name of the pack that stands for every tool.
const AllTools = "all"

// ToolPacks maps names to configured packs. The packs of StandardPacks exist in
// addition; a configured pack cannot replace them.
type ToolPacks map[string]ToolPack

// StandardPacks returns the packs that exist without configuration. AllTools is not among them.
func StandardPacks() ToolPacks {
	return ToolPacks{
		"core-codex":         {Tools: []string{"exec", "applyPatch", "readFile", "listDir", "grepFiles", "fileSearch"}},
		"anthropic-standard": {Tools: []string{"exec", "readFile", "updatePlan", "listDir"}},
		"file-ops":           {Tools: []string{"readFile", "listDir", "grepFiles", "applyPatch", "fileSearch"}},
		"research":           {Tools: []string{"webSearch", "fetchUrl"}},
	}
}

// Pack returns the pack with the given name from StandardPacks or p. AllTools is not
// such a pack.
func (p ToolPacks) Pack(name string) (pack ToolPack, known bool) {
	if pack, known = StandardPacks()[name]; !known {
		pack, known = p[name]
	}
	return pack, known
}

// Names returns the names of all packs, sorted.
func (p ToolPacks) Names() []string {
	names := append(slices.Collect(maps.Keys(StandardPacks())), AllTools)
	names = slices.AppendSeq(names, maps.Keys(p))
	slices.Sort(names)
	return slices.Compact(names)
}

// Tools returns the tools of one pack; for AllTools, all is true. The error is Invalid
// if there is no such pack or if Resolve fails.
func (p ToolPacks) Tools(name string) (tools []string, all bool, err error) {
	if _, known := p.Pack(name); !known && name != AllTools {
		return nil, false, noPack(name, p)
	}
	return p.Resolve(name)
}

func noPack(name string, p ToolPacks) error {
	return &Error{Kind: Invalid, Err: fmt.Errorf("there is no tool pack %.80q; the packs are: %s", name, strings.Join(p.Names(), ", "))}
}

// Resolve returns the tools of a list of packs and tools, each tool once, in the order
// of the list. An entry that is not the name of a pack is a tool. all reports that the
// list stands for every tool; tools is empty then. The error is Invalid if a pack
// extends itself or an unknown pack.
func (p ToolPacks) Resolve(entries ...string) (tools []string, all bool, err error) {
	r := resolver{packs: p, open: map[string]bool{}, seen: map[string]bool{}}
	for _, entry := range entries {
		if err := r.entry(entry); err != nil {
			return nil, false, err
		}
	}
	if r.all {
		return nil, true, nil
	}
	return r.tools, false, nil
}

type resolver struct {
	packs ToolPacks
	open  map[string]bool // packs being resolved, to find a pack that extends itself
	seen  map[string]bool // tools that were added, and resolved packs as "pack NAME"
	all   bool
	tools []string
}

func (r *resolver) entry(name string) error {
	if name == AllTools {
		r.all = true
		return nil
	}
	if _, isPack := r.packs.Pack(name); isPack {
		return r.pack(name)
	}
	if !r.seen[name] {
		r.seen[name] = true
		r.tools = append(r.tools, name)
	}
	return nil
}

func (r *resolver) pack(name string) error {
	pack, known := r.packs.Pack(name)
	switch {
	case r.open[name]:
		return &Error{Kind: Invalid, Err: fmt.Errorf("the tool pack %q extends itself", name)}
	case r.seen["pack "+name]:
		return nil
	case !known:
		return noPack(name, r.packs)
	}
	r.open[name] = true
	defer delete(r.open, name)
	for _, base := range pack.Extends {
		if base == AllTools {
			r.all = true
		} else if err := r.pack(base); err != nil {
			return err
		}
	}
	r.seen["pack "+name] = true
	for _, tool := range pack.Tools {
		if !r.seen[tool] {
			r.seen[tool] = true
			r.tools = append(r.tools, tool)
		}
	}
	return nil
}
