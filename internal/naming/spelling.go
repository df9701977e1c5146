package naming

import "strings"

// mostNear is the maximum number of names suggested for a wrong one.
const mostNear = 3

// Meant returns the ids of the visible tools that a script may mean by an unknown name. It ignores
// differences of spelling, and returns the tool with that id, or otherwise the tools with that
// identifier on any server. next is the member of name that the script uses, or "".
func (t *Table) Meant(name, next string) (ids []string) {
	full, joined := plain(name), plain(name+next)
	for i, server := range t.names.Servers {
		if server.Further() {
			continue
		}
		for _, tool := range server.Tools {
			if !t.showsTool(i, tool.ID) {
				continue
			}
			id := plain(tool.ID)
			if id == full || "mcp"+id == full || next != "" && (id == joined || "mcp"+id == joined) {
				return []string{tool.ID}
			}
			if ident := plain(tool.Ident); ident == full || next != "" && ident == plain(next) {
				ids = append(ids, tool.ID)
			}
		}
	}
	return ids[:min(len(ids), mostNear)]
}

// Spelled returns the index of the visible server whose name is another spelling of name, or None.
func (t *Table) Spelled(name string) int {
	for i, s := range t.names.Servers {
		if !s.Further() && (plain(s.Ident) == plain(name) || plain(s.Name) == plain(name)) && t.showsServer(i) {
			return i
		}
	}
	return None
}

// plain returns the form of a name in which names that differ only in spelling are equal.
func plain(name string) string {
	return punctuation.Replace(strings.ToLower(name))
}

var punctuation = strings.NewReplacer("_", "", "-", "", ".", "", "$", "")
