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

// Names holds the identifiers of one catalog: the names of servers and tools in
// scripts, and the names of their types. Identifiers do not start with $, which is
// reserved for the members of tools that the program itself provides. The only exception is
// the server of saved scripts. Names are immutable.
type Names struct {
	Key     string   `json:"key"`     // equal keys mean equal identifiers for equal ids
	Servers []Server `json:"servers"` // all configured servers, sorted by configured name; see Server.Further

	// Flat has the groups of flat names that WithFlat has added, sorted. The first group
	// has no identifier. Other groups have identifiers such as "prompts" or "agents.llm".
	Flat []Server `json:"flat,omitempty"`

	// Warnings describe how colliding names were resolved, and the tools without a name
	// because their ids are equal.
	Warnings []string `json:"-"`
}

// Server holds the names of one server. A server without tools counts as not connected.
type Server struct {
	Ident string `json:"ident"`  // as in tools.<ident>
	Name  string `json:"server"` // configured name
	Type  string `json:"-"`      // name of the interface of its tools, such as GithubTools
	Tools []Tool `json:"tools"`  // sorted by id

	// Accounts are the accounts of the server, the default first. The default account has the
	// identifier of the server. Each other account is a Server of its own; see Further. All
	// accounts have the same tools: each tool that at least one account has.
	Accounts []string `json:"accounts,omitempty"`

	// Held are the identifiers of tools in quarantine, which are not among Tools. Calls
	// of them are sent to the gateway, which reports the reason.
	Held []string `json:"held,omitempty"`
}

// Tool holds the names of one tool.
type Tool struct {
	Ident  string `json:"ident"`           // as in tools.<server>.<ident>
	ID     string `json:"id"`              // server__tool
	Pages  bool   `json:"pages,omitempty"` // the tool has the method pages
	Params string `json:"-"`               // name of the type of its arguments: GithubCreateIssueParams
	Result string `json:"-"`               // name of the type of its result: GithubCreateIssueResult
}

// Further reports whether s is an account other than the default account. Scripts reach it by $as. Its
// Ident contains the account, such as github@home.
func (s Server) Further() bool { return strings.Contains(s.Ident, toolscript.AccountSeparator) }

// All returns the configured names of all accounts of the server, the default first.
func (s Server) All() []string {
	if len(s.Accounts) == 0 {
		return []string{s.Name}
	}
	all := make([]string, len(s.Accounts))
	for i, account := range s.Accounts {
		all[i] = toolscript.WithoutAccount(s.Name) + toolscript.AccountSeparator + account
	}
	return all
}

// New chooses the names for a whole catalog. Use the same Names for a filtered part of the
// catalog, so that a filter renames nothing.
func New(c toolscript.Catalog) *Names {
	n := &Names{Warnings: c.Clashes()}
	tools := map[string][]toolscript.Tool{} // by server without the account
	configured, seen := c.Servers(), map[string]bool{}
	for _, t := range c.All() {
		if !seen[t.Server] && !c.HasServer(t.Server) {
			configured = append(configured, t.Server)
		}
		seen[t.Server] = true
	}
	for _, t := range c.OneAccount().All() {
		server := toolscript.WithoutAccount(t.Server)
		tools[server] = append(tools[server], t)
	}
	n.nameServers(configured)
	for i := range n.Servers {
		n.nameTools(&n.Servers[i], tools[toolscript.WithoutAccount(n.Servers[i].Name)])
	}
	n.nameTypes()
	n.setKey()
	return n
}

// Spawn is the member of tools that starts tasks. A server named spawn gets another
// identifier.
const Spawn = "spawn"

// AsAccount is the member of a server with accounts that returns the server with another account.
const AsAccount = "$as"

// IsServer reports whether ident can be the identifier of a server.
func IsServer(ident string) bool {
	return ident == toolscript.ScriptsServer || ident != Spawn && !strings.HasPrefix(ident, "$")
}

func (n *Names) nameServers(configured []string) {
	accounts := map[string][]string{} // by server
	var claims []claim
	for _, name := range configured {
		server, account := toolscript.CutAccount(name)
		if _, known := accounts[server]; !known {
			ident := ServerIdentifier(server)
			claims = append(claims, claim{id: server, want: ident, exact: ident == server && ident != Spawn})
			accounts[server] = nil
		}
		if account != "" {
			accounts[server] = append(accounts[server], account)
		}
	}
	claims = append(claims, claim{id: "the method that starts tasks", want: Spawn, exact: true})
	idents, groups := settle(claims)
	n.warn("servers share the identifier tools.", claims, idents, groups)
	for i, c := range claims[:len(claims)-1] {
		if len(accounts[c.id]) == 0 {
			n.Servers = append(n.Servers, Server{Ident: idents[i], Name: c.id})
		}
		for j, account := range accounts[c.id] {
			s := Server{Ident: idents[i], Name: c.id + toolscript.AccountSeparator + account, Accounts: accounts[c.id]}
			if j > 0 {
				s.Ident += toolscript.AccountSeparator + account
			}
			n.Servers = append(n.Servers, s)
		}
	}
	slices.SortFunc(n.Servers, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
}

// ServerIdentifier returns Identifier(name) without the account, or the name itself for the server
// of saved scripts.
func ServerIdentifier(name string) string {
	if name == toolscript.ScriptsServer {
		return name
	}
	return Identifier(toolscript.WithoutAccount(name))
}

// nameTools names the tools of a server or of one account. It gets the same tools for all accounts of
// a server, so that a name means the same tool in every account.
func (n *Names) nameTools(s *Server, tools []toolscript.Tool) {
	slices.SortFunc(tools, func(a, b toolscript.Tool) int { return strings.Compare(a.Name, b.Name) })
	claims := make([]claim, len(tools))
	for i, t := range tools {
		ident := Identifier(t.Name)
		claims[i] = claim{id: toolscript.WithoutAccount(t.ID()), want: ident, exact: ident == t.Name}
	}
	idents, groups := settle(claims)
	if !s.Further() {
		n.warn("tools share the identifier tools."+s.Ident+".", claims, idents, groups)
	}
	s.Tools = make([]Tool, len(tools))
	for i, t := range tools {
		t.Server = s.Name
		s.Tools[i] = Tool{Ident: idents[i], ID: t.ID(), Pages: t.Pages}
	}
}

// nameTypes chooses type names that are unique in the whole module. A type name joins
// two identifiers, so tool c of server a-b and tool b-c of server a collide. No type
// name is exact, so all that collide get a suffix. The accounts of a server have the same types.
func (n *Names) nameTypes() {
	var servers, tools []claim
	for _, s := range n.Servers {
		if s.Further() {
			continue
		}
		part := TypeName(s.Ident)
		servers = append(servers, claim{id: toolscript.WithoutAccount(s.Name), want: part})
		for _, t := range s.Tools {
			tools = append(tools, claim{id: toolscript.WithoutAccount(t.ID), want: part + TypeName(t.Ident)})
		}
	}
	parts, _ := settle(servers)
	bases, groups := settle(tools)
	n.warn("types share the name ", tools, bases, groups)
	types, of := map[string]string{}, map[string]string{} // by claim
	for i, c := range servers {
		types[c.id] = parts[i]
	}
	for i, c := range tools {
		of[c.id] = bases[i]
	}
	for i := range n.Servers {
		n.Servers[i].Type = types[toolscript.WithoutAccount(n.Servers[i].Name)] + "Tools"
		for j := range n.Servers[i].Tools {
			t := &n.Servers[i].Tools[j]
			t.Params = of[toolscript.WithoutAccount(t.ID)] + "Params"
			t.Result = of[toolscript.WithoutAccount(t.ID)] + "Result"
		}
	}
}

// warn adds a warning for each group of colliding claims.
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

// withAccount returns the identifier of s with its account, even for the default account: github@work. It
// returns "" for a server without accounts.
func (s Server) withAccount() string {
	if len(s.Accounts) == 0 {
		return ""
	}
	_, account := toolscript.CutAccount(s.Name)
	return baseOf(s.Ident) + toolscript.AccountSeparator + account
}

// Server returns the server with the given identifier, which may name an account.
func (n *Names) Server(ident string) (Server, bool) {
	i := slices.IndexFunc(n.Servers, func(s Server) bool { return s.Ident == ident || s.withAccount() == ident && ident != "" })
	if i < 0 {
		return Server{}, false
	}
	return n.Servers[i], true
}

// ByName returns the server with the given configured name.
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

// Tool returns the names of a tool, and the index of its server in n.Servers.
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

// Path returns the expression for the server or the account: tools.github or tools.github.$as("home").
func (s Server) Path() string {
	ident, account := toolscript.CutAccount(s.Ident)
	if account == "" {
		return "tools." + ident
	}
	return "tools." + ident + "." + AsAccount + "(" + strconv.Quote(account) + ")"
}

// Call returns the expression by which scripts call a tool; "" if the tool has no name.
func (n *Names) Call(t toolscript.Tool) string {
	server, tool, ok := n.Tool(t)
	if !ok {
		return ""
	}
	return n.Servers[server].Path() + "." + tool.Ident
}

// Resolve returns the tool id for a call such as server.tool or tools.server.tool, or
// for mcp__server__tool, the tool's name in Claude Code. The tool need not exist. Any
// other text is returned unchanged.
func (n *Names) Resolve(text string) string {
	if id, is := strings.CutPrefix(text, "mcp"+toolscript.Separator); is && n.hasServer(id) && !n.hasServer(text) {
		return n.withDefault(id)
	}
	server, tool, dotted := strings.Cut(strings.TrimPrefix(text, "tools."), ".")
	if id, ok := n.ID(server, tool); dotted && ok {
		return id
	}
	if s, ok := n.Server(server); dotted && ok {
		return s.Name + toolscript.Separator + tool
	}
	return n.withDefault(text)
}

// withDefault adds the default account to the id of a tool of a server with accounts, if the id
// has no account. It returns any other text unchanged.
func (n *Names) withDefault(id string) string {
	server, tool, isTool := strings.Cut(id, toolscript.Separator)
	for _, s := range n.Servers {
		if isTool && len(s.Accounts) > 0 && !s.Further() && toolscript.WithoutAccount(s.Name) == server {
			return s.Name + toolscript.Separator + tool
		}
	}
	return id
}

// hasServer reports whether id begins with the name of a server.
func (n *Names) hasServer(id string) bool {
	return slices.ContainsFunc(n.Servers, func(s Server) bool {
		return strings.HasPrefix(id, s.Name+toolscript.Separator) || strings.HasPrefix(id, toolscript.WithoutAccount(s.Name)+toolscript.Separator)
	})
}
