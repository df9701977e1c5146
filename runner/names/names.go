// Package names finds the servers and tools that a script names. It serves every
// engine, so that a wrong name reads the same on all of them.
package names

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// Table is the names of a job. A script pays only for those it uses, so two
// thousand tools cost an idle table nothing. It is not safe for concurrent use.
//
// Names that the job's allow list leaves out are hidden: no list and no advice has
// them, and they are no members. Who writes one all the same gets what can be
// called, so that the gateway can say that it is forbidden.
type Table struct {
	*index
	allow sight
}

// index finds names. It serves all jobs of one table of names.
type index struct {
	names   *runner.Names
	servers map[string]int
	tools   []map[string]int // by server; nil until a tool of it is asked for
}

// For is the table of the names, as far as allow lets them be seen. It takes over
// what the old one has found out, when that is of the same names.
func For(names *runner.Names, allow toolscript.Filter, old *Table) *Table {
	if names == nil {
		names = &runner.Names{}
	}
	seen := newSight(allow)
	if old != nil && (old.names == names || (names.Key != "" && old.names.Key == names.Key)) {
		return &Table{old.index, seen}
	}
	x := &index{names: names, servers: make(map[string]int, len(names.Servers)), tools: make([]map[string]int, len(names.Servers))}
	for i, s := range names.Servers {
		x.servers[s.Ident] = i
	}
	return &Table{x, seen}
}

// What Server and Tool answer instead of an index.
const (
	None   = -1 // it does not exist
	Absent = -2 // any tool of a server that is not connected, or that is hidden
)

// Server is the index of a server, hidden or not, or None.
func (x *index) Server(ident string) int { return indexOf(x.servers, ident) }

// Tool is the index of a tool of a server, None or Absent.
func (t *Table) Tool(server int, ident string) int {
	if server < 0 || server >= len(t.tools) {
		return None
	}
	if s := t.names.Servers[server]; len(s.Tools) == 0 || !t.allow.server(server, s) {
		return Absent
	}
	return t.tool(server, ident)
}

// tool is the index of a tool, hidden or not, or None.
func (x *index) tool(server int, ident string) int {
	if x.tools[server] == nil {
		tools := x.names.Servers[server].Tools
		x.tools[server] = make(map[string]int, len(tools))
		for i, tool := range tools {
			x.tools[server][tool.Ident] = i
		}
	}
	return indexOf(x.tools[server], ident)
}

// Shown reports whether tools, or a server of it, has a member of that name that
// is not hidden. What is no index of a server stands for tools.
func (t *Table) Shown(server int, ident string) bool {
	if server < 0 || server >= len(t.tools) {
		i := t.Server(ident)
		return i != None && t.allow.server(i, t.names.Servers[i])
	}
	switch tool := t.Tool(server, ident); tool {
	case None:
		return false
	case Absent:
		return t.allow.tool(t.names.Servers[server], t.ID(server, ident))
	default:
		return t.allow.tool(t.names.Servers[server], t.names.Servers[server].Tools[tool].ID)
	}
}

func indexOf(m map[string]int, ident string) int {
	if i, ok := m[ident]; ok {
		return i
	}
	return None
}

// ID is the wire name of what a script calls ident. A call to a server that is
// not connected goes out too: the gateway knows what is wrong with it. What no
// server has is answered by the gateway.
func (t *Table) ID(server int, ident string) string {
	if server == None && (ident == runner.SearchTools || ident == runner.DescribeTool) {
		return ident
	}
	switch tool := t.Tool(server, ident); tool {
	case None:
		return ""
	case Absent:
		if hidden := t.tool(server, ident); hidden != None {
			return t.names.Servers[server].Tools[hidden].ID
		}
		return t.names.Servers[server].Server + toolscript.Separator + ident
	default:
		return t.names.Servers[server].Tools[tool].ID
	}
}

// Idents are the names that tools shows, or that a server of it shows.
func (t *Table) Idents(server int) []string {
	idents := []string{}
	switch {
	case server == None:
		for i, s := range t.names.Servers {
			if !s.Own && t.allow.server(i, s) {
				idents = append(idents, s.Ident)
			}
		}
	case server >= 0 && server < len(t.names.Servers):
		s := t.names.Servers[server]
		for _, tool := range s.Tools {
			if t.allow.tool(s, tool.ID) {
				idents = append(idents, tool.Ident)
			}
		}
	}
	return idents
}

// Missing says that tools, or a server of it, has no such name, and what there
// is instead. What is no index of a server stands for tools.
func (t *Table) Missing(server int, ident string) string {
	const shown = 10
	owner, what, list := "tools", "server", "list-servers"
	if server < 0 || server >= len(t.names.Servers) {
		server = None
	} else {
		s := t.names.Servers[server]
		owner, what, list = property("tools", s.Ident), "tool", "list-tools "+s.Server
		if s.Own {
			what = "method"
		}
	}
	idents := t.Idents(server)
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
