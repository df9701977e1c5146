package codegen

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
)

// Names are the identifiers of one catalog: what scripts write for its servers
// and tools, and what their types are called. Identifiers that start with $ are
// never given away: they are the program's own members of tools. Names are
// immutable.
type Names struct {
	servers  []ServerNames
	tools    map[string]ToolNames // by tool id
	idents   map[string]int       // index in servers, by identifier
	indexes  map[string]int       // index in servers, by configured name
	ids      map[[2]string]string // tool id, by identifiers of server and tool
	warnings []string
	key      string
}

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
		tools:   make(map[string]ToolNames, c.Len()),
		idents:  map[string]int{},
		indexes: map[string]int{},
		ids:     make(map[[2]string]string, c.Len()),
	}
	byServer := map[string][]toolscript.Tool{}
	configured := c.Servers()
	for _, t := range c.Tools() {
		if _, ok := byServer[t.Server]; !ok && !c.HasServer(t.Server) {
			configured = append(configured, t.Server)
		}
		byServer[t.Server] = append(byServer[t.Server], t)
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

func (n *Names) nameTools(s *ServerNames, tools []toolscript.Tool) {
	claims := make([]claim, len(tools))
	for i, t := range tools {
		ident := Identifier(t.Name)
		claims[i] = claim{id: t.ID(), want: ident, exact: ident == t.Name}
	}
	idents, met := settle(claims)
	for _, group := range met {
		n.warnings = append(n.warnings, fmt.Sprintf("tools share the identifier tools.%s.%s: %s",
			s.Ident, claims[group[0]].want, describe(claims, group, idents)))
	}
	for i, t := range tools {
		s.Tools = append(s.Tools, ToolNames{Ident: idents[i], ID: t.ID()})
	}
}

// nameTypes makes the type names unique over the whole module: they are joined
// from two identifiers, and server a-b with tool c reads like server a with
// tool b-c. No type name is exact, so all that meet get a suffix.
func (n *Names) nameTypes() {
	var servers, tools []claim
	for _, s := range n.servers {
		servers = append(servers, claim{id: s.Server, want: typePart(s.Ident)})
		for _, t := range s.Tools {
			tools = append(tools, claim{id: t.ID, want: typePart(s.Ident) + typePart(t.Ident)})
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
	var table strings.Builder
	for i, s := range n.servers {
		n.idents[s.Ident], n.indexes[s.Server] = i, i
		fmt.Fprintf(&table, "%q %q\n", s.Ident, s.Server)
		for _, t := range s.Tools {
			n.tools[t.ID] = t
			n.ids[[2]string{s.Ident, t.Ident}] = t.ID
			fmt.Fprintf(&table, "\t%q %q\n", t.Ident, t.ID)
		}
	}
	sum := sha256.Sum256([]byte(table.String()))
	n.key = hex.EncodeToString(sum[:])
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
	t, ok := n.tools[id]
	return t, ok
}

// ID is the id of the tool that scripts call tools.<server>.<tool>.
func (n *Names) ID(server, tool string) (string, bool) {
	id, ok := n.ids[[2]string{server, tool}]
	return id, ok
}

// Warnings say which names met and what each is called now.
func (n *Names) Warnings() []string { return slices.Clone(n.warnings) }

// Key identifies the table: equal keys mean equal identifiers for equal ids.
func (n *Names) Key() string { return n.key }
