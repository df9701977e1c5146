package naming

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolscript/toolscript"
)

// Names has the identifiers of one catalog: the names that scripts write for servers
// and tools, and the names of their types. No identifier starts with $, which is
// reserved for the program's own members of tools, except that of the server of saved
// scripts. Names are immutable.
type Names struct {
	Key     string   `json:"key"`     // equal keys mean equal identifiers for equal ids
	Servers []Server `json:"servers"` // all configured servers, sorted by configured name

	// Flat are the groups of flat names, sorted, if the names have some (see WithFlat). The
	// first group has no identifier; others are "prompts" or "agents.llm".
	Flat []Server `json:"flat,omitempty"`

	// Warnings are the collisions of names and their resolution, and the tools that
	// have no name because their ids are equal.
	Warnings []string `json:"-"`
}

// Server has the names of one server. A server without tools is not connected.
type Server struct {
	Ident string `json:"ident"`  // as in tools.<ident>
	Name  string `json:"server"` // configured name
	Type  string `json:"-"`      // the interface of its tools: GithubTools
	Tools []Tool `json:"tools"`  // sorted by id

	// Held are the identifiers of tools in quarantine. They are not among Tools; a call of
	// one reaches the gateway, which knows the reason.
	Held []string `json:"held,omitempty"`
}

// Tool has the names of one tool.
type Tool struct {
	Ident  string `json:"ident"`           // as in tools.<server>.<ident>
	ID     string `json:"id"`              // server__tool
	Pages  bool   `json:"pages,omitempty"` // it has the method pages
	Params string `json:"-"`               // the type of its arguments: GithubCreateIssueParams
	Result string `json:"-"`               // the type of its result: GithubCreateIssueResult
}

// New chooses the names of a whole catalog. A filtered catalog uses the names of the
// catalog that it was filtered from, so that no filter renames anything.
func New(c toolscript.Catalog) *Names {
	n := &Names{Warnings: c.Clashes()}
	tools := map[string][]toolscript.Tool{}
	configured := c.Servers()
	for _, t := range c.All() {
		if _, ok := tools[t.Server]; !ok && !c.HasServer(t.Server) {
			configured = append(configured, t.Server)
		}
		tools[t.Server] = append(tools[t.Server], t)
	}
	slices.Sort(configured)
	n.nameServers(configured)
	for i := range n.Servers {
		n.nameTools(&n.Servers[i], tools[n.Servers[i].Name])
	}
	n.nameTypes()
	n.setKey()
	return n
}

// Spawn is the member of tools that starts tasks. A server of that name gets another
// identifier.
const Spawn = "spawn"

// IsServer reports whether a member of tools can be a server.
func IsServer(ident string) bool {
	return ident == toolscript.ScriptsServer || ident != Spawn && !strings.HasPrefix(ident, "$")
}

func (n *Names) nameServers(configured []string) {
	claims := make([]claim, len(configured), len(configured)+1)
	for i, server := range configured {
		ident := ServerIdentifier(server)
		claims[i] = claim{id: server, want: ident, exact: ident == server && ident != Spawn}
	}
	claims = append(claims, claim{id: "the method that starts tasks", want: Spawn, exact: true})
	idents, groups := settle(claims)
	n.warn("servers share the identifier tools.", claims, idents, groups)
	for i, server := range configured {
		n.Servers = append(n.Servers, Server{Ident: idents[i], Name: server})
	}
}

// ServerIdentifier is Identifier, except for the server of saved scripts.
func ServerIdentifier(name string) string {
	if name == toolscript.ScriptsServer {
		return name
	}
	return Identifier(name)
}

func (n *Names) nameTools(s *Server, tools []toolscript.Tool) {
	claims := make([]claim, len(tools))
	for i, t := range tools {
		ident := Identifier(t.Name)
		claims[i] = claim{id: t.ID(), want: ident, exact: ident == t.Name}
	}
	idents, groups := settle(claims)
	n.warn("tools share the identifier tools."+s.Ident+".", claims, idents, groups)
	s.Tools = make([]Tool, len(tools))
	for i, c := range claims {
		s.Tools[i] = Tool{Ident: idents[i], ID: c.id, Pages: tools[i].Pages}
	}
}

// nameTypes makes the type names unique in the whole module. They are joined from two
// identifiers, so that server a-b with tool c has the same name as server a with tool
// b-c. No type name is exact: all that collide get a suffix.
func (n *Names) nameTypes() {
	var servers, tools []claim
	for _, s := range n.Servers {
		part := TypeName(s.Ident)
		servers = append(servers, claim{id: s.Name, want: part})
		for _, t := range s.Tools {
			tools = append(tools, claim{id: t.ID, want: part + TypeName(t.Ident)})
		}
	}
	parts, _ := settle(servers)
	bases, groups := settle(tools)
	n.warn("types share the name ", tools, bases, groups)
	for i := range n.Servers {
		n.Servers[i].Type = parts[i] + "Tools"
		for j := range n.Servers[i].Tools {
			n.Servers[i].Tools[j].Params = bases[0] + "Params"
			n.Servers[i].Tools[j].Result = bases[0] + "Result"
			bases = bases[1:]
		}
	}
}

// warn reports each group of colliding claims.
func (n *Names) warn(text string, claims []claim, names []string, groups [][]int) {
	for _, group := range groups {
		n.Warnings = append(n.Warnings, text+claims[group[0]].want+": "+describe(claims, group, names))
	}
}

func (n *Names) setKey() {
	var table []byte
	for _, s := range n.Servers {
		table = fmt.Appendf(table, "%q %q\n", s.Ident, s.Name)
		for _, t := range s.Tools {
			table = append(strconv.AppendQuote(append(table, '\t'), t.Ident), ' ')
			table = strconv.AppendQuote(table, t.ID)
			if t.Pages {
				table = append(table, " pages"...)
			}
			table = append(table, '\n')
		}
	}
	sum := sha256.Sum256(table)
	n.Key = hex.EncodeToString(sum[:])
}

// Server finds a server by its identifier.
func (n *Names) Server(ident string) (Server, bool) {
	i := slices.IndexFunc(n.Servers, func(s Server) bool { return s.Ident == ident })
	if i < 0 {
		return Server{}, false
	}
	return n.Servers[i], true
}

// ByName finds a server by its configured name.
func (n *Names) ByName(name string) (Server, bool) {
	i, ok := n.byName(name)
	if !ok {
		return Server{}, false
	}
	return n.Servers[i], true
}

func (n *Names) byName(name string) (index int, ok bool) {
	return slices.BinarySearchFunc(n.Servers, name, func(s Server, name string) int { return cmp.Compare(s.Name, name) })
}

// Tool finds a tool and the index of its server.
func (n *Names) Tool(t toolscript.Tool) (server int, names Tool, ok bool) {
	server, ok = n.byName(t.Server)
	if !ok {
		return 0, Tool{}, false
	}
	tools := n.Servers[server].Tools
	i, ok := slices.BinarySearchFunc(tools, t.ID(), func(t Tool, id string) int { return cmp.Compare(t.ID, id) })
	if !ok {
		return 0, Tool{}, false
	}
	return server, tools[i], true
}

// ID returns the id of the tool that scripts call tools.<server>.<tool>.
func (n *Names) ID(server, tool string) (string, bool) {
	s, _ := n.Server(server)
	for _, t := range s.Tools {
		if t.Ident == tool {
			return t.ID, true
		}
	}
	return "", false
}

// Call returns the expression by which scripts call a tool, and "" for a tool that has
// no name.
func (n *Names) Call(t toolscript.Tool) string {
	server, tool, ok := n.Tool(t)
	if !ok {
		return ""
	}
	return "tools." + n.Servers[server].Ident + "." + tool.Ident
}

// Resolve returns the tool id of a call such as server.tool or tools.server.tool, or of
// mcp__server__tool, which is the tool's name in Claude Code. The tool may not exist. All other
// texts are returned unchanged.
func (n *Names) Resolve(text string) string {
	if id, is := strings.CutPrefix(text, "mcp"+toolscript.Separator); is && n.hasServer(id) && !n.hasServer(text) {
		return id
	}
	server, tool, dotted := strings.Cut(strings.TrimPrefix(text, "tools."), ".")
	if id, ok := n.ID(server, tool); dotted && ok {
		return id
	}
	if s, ok := n.Server(server); dotted && ok {
		return s.Name + toolscript.Separator + tool
	}
	return text
}

// hasServer reports whether an id begins with the name of a server.
func (n *Names) hasServer(id string) bool {
	return slices.ContainsFunc(n.Servers, func(s Server) bool { return strings.HasPrefix(id, s.Name+toolscript.Separator) })
}
