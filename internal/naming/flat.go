package naming

import (
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
)

// WithFlat returns the names with additional flat names for the tools of some servers,
// given by configured name: tools.readFile beside tools.workspace.readFile, and
// tools.prompts.save for a tool named prompts.save. Scripts in the answers of models
// use flat names for the built-in tools.
//
// If two of the servers claim a flat name, neither gets it, so that a new server never takes
// over a name. The identifiers of servers, spawn, and members that start with $ take
// precedence over flat names. A tool takes precedence over a group of the same name, such as
// prompts.
func (n *Names) WithFlat(servers []string) *Names {
	paths := map[string]string{} // ids by path; "" for a path with several ids
	for _, name := range servers {
		server, known := n.ByName(name)
		if !known {
			continue
		}
		for _, tool := range server.Tools {
			path := strings.TrimPrefix(tool.ID, name+toolscript.Separator)
			if !n.isFlat(path) {
				continue
			}
			if _, claimed := paths[path]; claimed {
				paths[path] = ""
			} else {
				paths[path] = tool.ID
			}
		}
	}
	named := *n
	named.Flat = groups(paths)
	named.Key += " flat " + strings.Join(servers, " ")
	return &named
}

// isFlat reports whether a tool name can be a flat name: it consists of identifiers joined by
// dots, and no other member of tools has the first identifier.
func (n *Names) isFlat(path string) bool {
	root, _, _ := strings.Cut(path, ".")
	if _, taken := n.Server(root); taken || !IsServer(root) {
		return false
	}
	for part := range strings.SplitSeq(path, ".") {
		if Identifier(part) != part {
			return false
		}
	}
	return true
}

// groups returns flat names by group, sorted. The first group holds the names without a dot.
func groups(paths map[string]string) []Server {
	members := map[string][]Tool{"": {}}
	for path, id := range paths {
		group, ident, _ := cutLast(path)
		if id == "" || hidden(paths, group) {
			continue
		}
		members[group] = append(members[group], Tool{Ident: ident, ID: id})
		for outer, _, inner := cutLast(group); inner; outer, _, inner = cutLast(outer) { // groups that contain groups
			if members[outer] == nil {
				members[outer] = []Tool{}
			}
		}
	}
	var all []Server
	for group, tools := range members {
		slices.SortFunc(tools, func(a, b Tool) int { return strings.Compare(a.Ident, b.Ident) })
		all = append(all, Server{Ident: group, Name: group, Tools: tools})
	}
	slices.SortFunc(all, func(a, b Server) int { return strings.Compare(a.Ident, b.Ident) })
	return all
}

// cutLast splits a path at its last dot. Without a dot, group is "".
func cutLast(path string) (group, ident string, found bool) {
	i := strings.LastIndexByte(path, '.')
	return path[:max(0, i)], path[i+1:], i >= 0
}

// hidden reports whether a tool has the same name as the group, or as a group that contains it.
func hidden(paths map[string]string, group string) bool {
	for group != "" {
		if _, isTool := paths[group]; isTool {
			return true
		}
		group, _, _ = cutLast(group)
	}
	return false
}

// FlatServers returns the sorted identifiers of the servers with flat names whose first
// part is root.
func (n *Names) FlatServers(root string) (idents []string) {
	for path, id := range n.FlatNames() {
		if first, _, _ := strings.Cut(path, "."); first != root {
			continue
		}
		for _, s := range n.Servers {
			if slices.ContainsFunc(s.Tools, func(t Tool) bool { return t.ID == id }) {
				idents = append(idents, s.Ident)
			}
		}
	}
	slices.Sort(idents)
	return slices.Compact(idents)
}

// FlatNames returns a map from flat names, such as readFile or prompts.save, to tool ids.
func (n *Names) FlatNames() map[string]string {
	all := map[string]string{}
	for _, group := range n.Flat {
		for _, tool := range group.Tools {
			all[strings.TrimPrefix(group.Ident+"."+tool.Ident, ".")] = tool.ID
		}
	}
	return all
}

// named returns the id of the tool that scripts call text, such as prompts.save or
// github.createIssue. Any other text is returned unchanged, because it may be an id.
func (t *Table) named(text string) string {
	if id, ok := t.names.FlatNames()[text]; ok {
		return id
	}
	return t.names.Resolve(text)
}
