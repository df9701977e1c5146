package codegen

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"

	"github.com/toolscript/toolscript"
)

// Names are the identifiers of one catalog: what scripts write for its servers
// and tools, and what their types are called. Identifiers that start with $ are
// never given away: they are the program's own members of tools. Names are
// immutable.
type Names struct {
	servers  []ServerNames
	tools    map[string]place // by tool id
	idents   map[string]int   // index in servers, by identifier
	indexes  map[string]int   // index in servers, by configured name
	warnings []string
	key      string
}

// place is where the names of a tool are: indexes of servers and of its Tools.
type place struct{ server, tool int }

// ServerNames are the names of one server.
type ServerNames struct {
	Ident  string // as in tools.<ident>
	Server string // configured name
	Type   string // the interface of its tools: GithubTools
	Tools  []ToolNames
}

// ToolNames are the names of one tool.
type ToolNames struct {
	Ident  string // as in tools.<server>.<ident>
	ID     string // server__tool
	Params string // the type of its arguments: GithubCreateIssueParams
	Result string // the type of its result: GithubCreateIssueResult
}

// NewNames chooses the names for all servers and tools of a whole catalog. The
// names of a filtered catalog are those of the catalog it was filtered from, so
// that a filter renames nothing.
func NewNames(c toolscript.Catalog) *Names {
	n := &Names{
		tools:   make(map[string]place, c.Len()),
		idents:  map[string]int{},
		indexes: map[string]int{},

		warnings: c.Clashes(),
	}
	byServer := map[string][]wanted{}
	configured := c.Servers()
	for id, t := range c.All() {
		if _, ok := byServer[t.Server]; !ok && !c.HasServer(t.Server) {
			configured = append(configured, t.Server)
		}
		byServer[t.Server] = append(byServer[t.Server], wanted{id, t.Name})
	}
	slices.Sort(configured)
	n.nameServers(configured)
	for i := range n.servers {
		n.nameTools(&n.servers[i], byServer[n.servers[i].Server])
	}
	n.nameTypes()
	n.index()
	return n
}

// wanted is a tool that wants a name.
type wanted struct{ id, name string }

// spawn is the member of tools that starts tasks. A server of that name gets
// another identifier.
const spawn = "spawn"

func (n *Names) nameServers(configured []string) {
	claims := make([]claim, len(configured), len(configured)+1)
	for i, server := range configured {
		ident := Identifier(server)
		claims[i] = claim{id: server, want: ident, exact: ident == server && ident != spawn}
	}
	claims = append(claims, claim{id: "the starting of tasks", want: spawn, exact: true})
	idents, met := settle(claims)
	for _, group := range met {
		n.warnings = append(n.warnings, fmt.Sprintf("servers share the identifier tools.%s: %s",
			claims[group[0]].want, describe(claims, group, idents)))
	}
	for i, server := range configured {
		n.servers = append(n.servers, ServerNames{Ident: idents[i], Server: server})
	}
}

func (n *Names) nameTools(s *ServerNames, tools []wanted) {
	claims := make([]claim, len(tools))
	for i, t := range tools {
		ident := Identifier(t.name)
		claims[i] = claim{id: t.id, want: ident, exact: ident == t.name}
	}
	idents, met := settle(claims)
	for _, group := range met {
		n.warnings = append(n.warnings, fmt.Sprintf("tools share the identifier tools.%s.%s: %s",
			s.Ident, claims[group[0]].want, describe(claims, group, idents)))
	}
	s.Tools = make([]ToolNames, len(tools))
	for i, t := range tools {
		s.Tools[i] = ToolNames{Ident: idents[i], ID: t.id}
	}
}

// nameTypes makes the type names unique over the whole module: they are joined
// from two identifiers, and server a-b with tool c reads like server a with
// tool b-c. No type name is exact, so all that meet get a suffix.
func (n *Names) nameTypes() {
	count := 0
	for _, s := range n.servers {
		count += len(s.Tools)
	}
	servers, tools := make([]claim, 0, len(n.servers)), make([]claim, 0, count)
	for _, s := range n.servers {
		part := typePart(s.Ident)
		servers = append(servers, claim{id: s.Server, want: part})
		for _, t := range s.Tools {
			tools = append(tools, claim{id: t.ID, want: part + typePart(t.Ident)})
		}
	}
	parts, _ := settle(servers)
	bases, met := settle(tools)
	for _, group := range met {
		n.warnings = append(n.warnings, fmt.Sprintf("types share the name %s: %s",
			tools[group[0]].want, describe(tools, group, bases)))
	}
	for i := range n.servers {
		n.servers[i].Type = parts[i] + "Tools"
		for j := range n.servers[i].Tools {
			n.servers[i].Tools[j].Params = bases[0] + "Params"
			n.servers[i].Tools[j].Result = bases[0] + "Result"
			bases = bases[1:]
		}
	}
}

func (n *Names) index() {
	var table []byte
	for i, s := range n.servers {
		n.idents[s.Ident], n.indexes[s.Server] = i, i
		table = appendQuoted(table, s.Ident, s.Server)
		for j, t := range s.Tools {
			n.tools[t.ID] = place{i, j}
			table = appendQuoted(append(table, '\t'), t.Ident, t.ID)
		}
	}
	sum := sha256.Sum256(table)
	n.key = hex.EncodeToString(sum[:])
}

// appendQuoted adds a line of two texts.
func appendQuoted(to []byte, ident, id string) []byte {
	to = append(strconv.AppendQuote(to, ident), ' ')
	return append(strconv.AppendQuote(to, id), '\n')
}

// Servers are the names of all servers, those without tools included, sorted
// by configured name; the tools of each are sorted by id. The caller must not
// change them.
func (n *Names) Servers() []ServerNames { return n.servers }

// Server finds a server by its identifier.
func (n *Names) Server(ident string) (ServerNames, bool) { return n.at(n.idents, ident) }

// ByServer finds a server by its configured name.
func (n *Names) ByServer(server string) (ServerNames, bool) { return n.at(n.indexes, server) }

func (n *Names) at(index map[string]int, key string) (ServerNames, bool) {
	i, ok := index[key]
	if !ok {
		return ServerNames{}, false
	}
	return n.servers[i], true
}

// Tool finds a tool by its id.
func (n *Names) Tool(id string) (ToolNames, bool) {
	at, ok := n.tools[id]
	if !ok {
		return ToolNames{}, false
	}
	return n.servers[at.server].Tools[at.tool], true
}

// ID is the id of the tool that scripts call tools.<server>.<tool>.
func (n *Names) ID(server, tool string) (string, bool) {
	i, ok := n.idents[server]
	if !ok {
		return "", false
	}
	for _, t := range n.servers[i].Tools {
		if t.Ident == tool {
			return t.ID, true
		}
	}
	return "", false
}

// Warnings say which names met and what each is called now, and which tools have
// none as their ids are the same.
func (n *Names) Warnings() []string { return slices.Clone(n.warnings) }

// Key identifies the table: equal keys mean equal identifiers for equal ids.
func (n *Names) Key() string { return n.key }
