package quickjs

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// table finds the servers and tools that a script names. A script pays only for
// the names it uses, so two thousand tools cost an idle table nothing.
type table struct {
	names   *runner.Names
	servers map[string]int
	tools   []map[string]int // by server; nil until a tool of it is asked for
}

// tableFor is the table of the names: the old one when it is the same.
func tableFor(names *runner.Names, old *table) *table {
	if names == nil {
		names = &runner.Names{}
	}
	if old != nil && (old.names == names || (names.Key != "" && old.names.Key == names.Key)) {
		return old
	}
	t := &table{names: names, servers: make(map[string]int, len(names.Servers)), tools: make([]map[string]int, len(names.Servers))}
	for i, s := range names.Servers {
		t.servers[s.Ident] = i
	}
	return t
}

const (
	none   = -1 // the index of what does not exist
	absent = -2 // that of any tool of a server that is not connected
)

func (t *table) server(ident string) int { return indexOf(t.servers, ident) }

func (t *table) tool(server int, ident string) int {
	if server < 0 || server >= len(t.tools) {
		return none
	}
	if len(t.names.Servers[server].Tools) == 0 {
		return absent
	}
	if t.tools[server] == nil {
		tools := t.names.Servers[server].Tools
		t.tools[server] = make(map[string]int, len(tools))
		for i, tool := range tools {
			t.tools[server][tool.Ident] = i
		}
	}
	return indexOf(t.tools[server], ident)
}

func indexOf(m map[string]int, ident string) int {
	if i, ok := m[ident]; ok {
		return i
	}
	return none
}

// id is the wire name of what a script calls ident. A call to a server that is
// not connected goes out too: the gateway knows what is wrong with it.
func (t *table) id(server int, ident string) string {
	switch tool := t.tool(server, ident); tool {
	case none:
		return ""
	case absent:
		return t.names.Servers[server].Server + toolscript.Separator + ident
	default:
		return t.names.Servers[server].Tools[tool].ID
	}
}

// idents are the names that tools has, or that a server of it has.
func (t *table) idents(server int) []string {
	idents := []string{}
	switch {
	case server == none:
		for _, s := range t.names.Servers {
			idents = append(idents, s.Ident)
		}
	case server >= 0 && server < len(t.names.Servers):
		for _, tool := range t.names.Servers[server].Tools {
			idents = append(idents, tool.Ident)
		}
	}
	return idents
}

// missing says that tools, or a server of it, has no such name, and what there
// is instead.
func (t *table) missing(server int, ident string) string {
	const shown = 10
	owner, what, list := "tools", "server", "list-servers"
	if server != none {
		s := t.names.Servers[server]
		owner, what, list = property("tools", s.Ident), "tool", "list-tools "+s.Server
	}
	idents := t.idents(server)
	text := property(owner, ident) + " does not exist"
	near := toolscript.Nearest(ident, idents, 3)
	for i, name := range near {
		near[i] = property(owner, name)
	}
	switch {
	case len(near) > 0:
		return text + "; did you mean " + strings.Join(near, " or ") + "?"
	case len(idents) == 0:
		return fmt.Sprintf("%s; %s has no %s", text, owner, what)
	case len(idents) > shown:
		return fmt.Sprintf("%s; %s has %d %ss, and this lists them: toolscript %s", text, owner, len(idents), what, list)
	default:
		return fmt.Sprintf("%s; %s has: %s", text, owner, strings.Join(idents, ", "))
	}
}

var identifier = regexp.MustCompile(`^[\p{L}_$][\p{L}\p{N}_$]*$`)

// property is how a script writes a property.
func property(owner, name string) string {
	if identifier.MatchString(name) {
		return owner + "." + name
	}
	quoted, _ := json.Marshal(name) // a string always has JSON
	return owner + "[" + string(quoted) + "]"
}
