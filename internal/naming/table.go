package naming

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/toolscript/toolscript"
)

// Table resolves the names of one script, on all engines. The cost grows with the names
// that the script uses, not with the number of tools. A table is not safe for
// concurrent use.
//
// Names outside the allow list are hidden: they are not listed, not suggested, and not
// members. A script that uses such a name still gets a function, so that the gateway
// can answer that the call is forbidden.
type Table struct {
	*index
	allow   toolscript.Filter
	entries *toolscript.Matcher // allow, prepared for many lookups
	shown   map[int]bool        // cached results of showsServer
}

// index finds names. Tables with equal Names share an index.
type index struct {
	names   *Names
	servers map[string]int
	tools   []map[string]int // by server, then by identifier; nil until a tool of the server is looked up
	root    int              // index of the group of flat names without a dot; None without flat names
}

// The members of tools that are functions and belong to no server. The gateway answers
// their calls.
const (
	SearchTools  = "$search"   // arguments: query, and limit, threshold, server, readOnly
	DescribeTool = "$describe" // arguments: tool
)

// The calls of the export store. They are not members of tools.
const (
	StoreGet    = "$store__get"    // arguments: key, scope
	StoreSet    = "$store__set"    // arguments: key, value, and scope, ttl, version
	StoreDelete = "$store__delete" // arguments: key, and scope, version
	StoreList   = "$store__list"   // arguments: prefix, scope
	StoreRun    = "$store__run"    // arguments: name, scope
)

// functions are the ids of the calls that IsFunction reports.
var functions = []string{SearchTools, DescribeTool, StoreGet, StoreSet, StoreDelete, StoreList, StoreRun}

// IsFunction reports whether the gateway answers calls of id itself, without a server.
func IsFunction(id string) bool { return slices.Contains(functions, id) }

// own holds the members of tools that have methods but are not servers: $resources and $prompts.
var own = func() (members []Server) {
	for _, id := range toolscript.FetchIDs() {
		member := toolscript.FetchRequest{ID: id}.Member()
		if len(members) == 0 || members[len(members)-1].Ident != member {
			members = append(members, Server{Ident: member, Name: member})
		}
		of := &members[len(members)-1]
		of.Tools = append(of.Tools, Tool{Ident: strings.TrimPrefix(id, member+toolscript.Separator), ID: id})
	}
	return members
}()

// IsOwn reports whether an entry of an allow list is $resources, $prompts, or one of their
// methods.
func IsOwn(entry string) bool {
	return slices.ContainsFunc(own, func(s Server) bool {
		return entry == s.Name || slices.ContainsFunc(s.Tools, func(t Tool) bool { return t.ID == entry })
	})
}

// NewTable returns the table of the names that allow selects. It reuses the index of old if old
// has the same names; old may be nil.
func NewTable(names *Names, allow toolscript.Filter, old *Table) *Table {
	if names == nil {
		names = &Names{}
	}
	t := &Table{allow: allow, entries: allow.Matcher(), shown: map[int]bool{}}
	if old != nil && (old.names == names || (names.Key != "" && old.names.Key == names.Key)) {
		t.index = old.index
		return t
	}
	size := len(names.Servers) + len(own) + len(names.Flat)
	t.index = &index{names: names, servers: make(map[string]int, size), tools: make([]map[string]int, size), root: None}
	for i := range size {
		if ident := t.at(i).Ident; ident != "" {
			t.servers[ident] = i
			if account := t.at(i).withAccount(); account != "" {
				t.servers[account] = i
			}
		} else {
			t.root = i
		}
	}
	return t
}

// at returns a server by its index. The first indexes are those of the servers; then come own
// and the groups of flat names.
func (x *index) at(server int) Server {
	i := server - len(x.names.Servers)
	switch {
	case i >= len(own):
		return x.names.Flat[i-len(own)]
	case i >= 0:
		return own[i]
	}
	return x.names.Servers[server]
}

func (x *index) isOwn(server int) bool {
	return server >= len(x.names.Servers) && !x.isFlat(server)
}

func (x *index) isFlat(server int) bool { return server >= len(x.names.Servers)+len(own) }

// outer returns server, or the index of the root group of flat names if server is None.
func (x *index) outer(server int) int {
	if server == None {
		return x.root
	}
	return server
}

// Results of Server and Tool that are not an index.
const (
	None   = -1 // no such name
	Absent = -2 // a tool that may exist: its server is hidden or not connected, or it is in quarantine
	Group  = -3 // a group of flat names; Server finds it by the joined identifier, such as agents.llm
	As     = -4 // the member $as of a server with accounts; Server finds an account by an identifier such as github@home
)

// Server returns the index of a server, even if it is hidden, or None.
func (x *index) Server(ident string) int { return indexOf(x.servers, ident) }

// Tool returns the index of a tool of a server, or of a flat name without a dot if
// server is None. Otherwise it returns None, Absent or Group.
func (t *Table) Tool(server int, ident string) int {
	if server = t.outer(server); server < 0 || server >= len(t.tools) {
		return None
	}
	if t.isFlat(server) {
		if tool := t.tool(server, ident); tool != None {
			return tool
		}
		if group := t.Server(t.at(server).Ident + "." + ident); group != None {
			return Group
		}
		return None
	}
	if ident == AsAccount && len(t.at(server).Accounts) > 0 {
		return As
	}
	if len(t.at(server).Tools) == 0 || !t.showsServer(server) || slices.Contains(t.at(server).Held, ident) {
		return Absent
	}
	return t.tool(server, ident)
}

// tool returns the index of a tool, even if it is hidden, or None.
func (x *index) tool(server int, ident string) int {
	if x.tools[server] == nil {
		tools := x.at(server).Tools
		x.tools[server] = make(map[string]int, len(tools))
		for i, tool := range tools {
			x.tools[server][tool.Ident] = i
		}
	}
	return indexOf(x.tools[server], ident)
}

func indexOf(m map[string]int, ident string) int {
	if i, ok := m[ident]; ok {
		return i
	}
	return None
}

// showsServer reports whether the script may call a tool of the server. Because the tools
// of a server that is not connected are unknown, any entry with its name is enough.
func (t *Table) showsServer(server int) bool {
	s := t.at(server)
	if t.allow == nil || t.isOwn(server) || !t.isFlat(server) && t.entries.Server(s.Name) {
		return true
	}
	if t.isFlat(server) {
		return t.showsGroup(server)
	}
	shown, known := t.shown[server]
	if !known {
		shown = slices.ContainsFunc(s.Tools, func(tool Tool) bool { return t.entries.Match(s.Name, tool.ID) }) ||
			(len(s.Tools) == 0 && t.allow.Reaches(s.Name))
		t.shown[server] = shown
	}
	return shown
}

// showsAny reports whether the script may call a tool of the server or of any of its accounts.
func (t *Table) showsAny(server int) bool {
	return t.showsServer(server) || slices.ContainsFunc(t.at(server).Accounts, func(account string) bool {
		return t.showsServer(t.Server(baseOf(t.at(server).Ident) + toolscript.AccountSeparator + account))
	})
}

// baseOf returns the identifier of the server for the identifier of one of its accounts.
func baseOf(ident string) string {
	base, _ := toolscript.CutAccount(ident)
	return base
}

// showsGroup reports whether the script may call a tool of a group of flat names, or of
// a nested group.
func (t *Table) showsGroup(group int) bool {
	within := t.at(group).Ident + "."
	return slices.ContainsFunc(t.names.Flat, func(g Server) bool {
		return (g.Ident == t.at(group).Ident || strings.HasPrefix(g.Ident, within)) &&
			slices.ContainsFunc(g.Tools, func(tool Tool) bool { return t.allow.Covers(tool.ID) })
	})
}

func (t *Table) showsTool(server int, id string) bool {
	if t.isFlat(server) {
		return t.allow.Covers(id)
	}
	return t.allow == nil || t.isOwn(server) || t.entries.Match(t.at(server).Name, id)
}

// Shown reports whether the server with an index, or the object tools, has a visible member
// ident. A value that is not the index of a server means tools.
func (t *Table) Shown(server int, ident string) bool {
	if server < 0 || server >= len(t.tools) {
		if i := t.Server(ident); i != None {
			return t.showsAny(i)
		}
		if server = t.root; server == None {
			return false
		}
	}
	switch t.Tool(server, ident) {
	case None:
		return false
	case As:
		return true
	case Group:
		return t.showsServer(t.Server(t.at(server).Ident + "." + ident))
	}
	return t.showsTool(server, t.ID(server, ident))
}

// ID returns the id of the tool that a script calls ident, or "". A tool of a server
// that is not connected has an id too, because the gateway reports why the call fails.
func (t *Table) ID(server int, ident string) string {
	if server == None && IsFunction(ident) {
		return ident
	}
	if server = t.outer(server); server < 0 || server >= len(t.tools) {
		return ""
	}
	s := t.at(server)
	switch tool := t.tool(server, ident); {
	case tool != None:
		return s.Tools[tool].ID
	case server == t.root:
		return t.named(ident)
	case t.Tool(server, ident) == Absent:
		return s.Name + toolscript.Separator + ident
	}
	return ""
}

// Pages reports whether the tool that a script calls ident may have the method pages.
// It returns true for a tool that is Absent, because the gateway checks the call.
func (t *Table) Pages(server int, ident string) bool {
	if server = t.outer(server); server < 0 || server >= len(t.tools) {
		return false
	}
	if tool := t.tool(server, ident); tool != None {
		return t.at(server).Tools[tool].Pages
	}
	return t.Tool(server, ident) == Absent
}

// Idents returns the visible members of the server with an index, or of the object tools for None,
// in the order of Object.keys.
func (t *Table) Idents(server int) []string {
	idents := []string{}
	switch {
	case server == None:
		for i, s := range t.names.Servers {
			if !s.Further() && t.showsAny(i) {
				idents = append(idents, s.Ident)
			}
		}
		idents = append(idents, t.flatIdents(t.root)...)
	case server >= 0 && server < len(t.tools) && t.isFlat(server):
		idents = t.flatIdents(server)
	case server >= 0 && server < len(t.tools):
		for _, tool := range t.at(server).Tools {
			if t.showsTool(server, tool.ID) {
				idents = append(idents, tool.Ident)
			}
		}
	}
	return idents
}

// flatIdents returns the visible tools and groups in a group of flat names, sorted. The result
// is empty for None.
func (t *Table) flatIdents(group int) []string {
	idents := []string{}
	if group == None {
		return idents
	}
	g := t.at(group)
	for _, tool := range g.Tools {
		if t.showsTool(group, tool.ID) {
			idents = append(idents, tool.Ident)
		}
	}
	for i := range t.names.Flat {
		at := len(t.names.Servers) + len(own) + i
		outer, ident, nested := cutLast(t.at(at).Ident)
		if ident != "" && outer == g.Ident && (nested || group == t.root) && t.showsServer(at) {
			idents = append(idents, ident)
		}
	}
	slices.Sort(idents)
	return idents
}

// Missing returns the error message for a member ident that the server with an index, or the
// object tools, does not have, with suggestions. A value that is not the index of a server
// means tools.
func (t *Table) Missing(server int, ident string) string {
	const most = 10 // maximum number of names in the message
	owner, noun, list := "tools", "server", toolscript.Command("list-servers")
	if server < 0 || server >= len(t.tools) {
		server = None
	} else {
		s := t.at(server)
		if account, is := strings.CutPrefix(ident, toolscript.AccountSeparator); is && len(s.Accounts) > 0 {
			return fmt.Sprintf("tools.%s has no account %.80q; its accounts are: %s", baseOf(s.Ident), account, strings.Join(s.Accounts, ", "))
		}
		owner, noun, list = property("tools", s.Ident), "tool", toolscript.Command("list-tools", s.Name)
		switch {
		case t.isFlat(server):
			owner, list = "tools."+s.Ident, toolscript.Command("list-tools")
		case t.isOwn(server):
			noun = "method"
		case s.Further():
			owner = s.Path()
		}
	}
	idents := t.Idents(server)
	text := property(owner, ident) + " does not exist"
	near := Nearest(ident, idents, 3)
	for i, name := range near {
		near[i] = property(owner, name)
	}
	switch {
	case len(near) > 0:
		return text + DidYouMean(near)
	case len(idents) == 0:
		return fmt.Sprintf("%s; %s has no %s", text, owner, noun)
	case len(idents) > most:
		return fmt.Sprintf("%s; %s has %d %ss, list them with: %s", text, owner, len(idents), noun, list)
	default:
		return fmt.Sprintf("%s; %s has: %s", text, owner, strings.Join(idents, ", "))
	}
}

var identifier = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\p{L}_$][\p{L}\p{N}_$]*$`) })

// property returns the expression for a property in a script.
func property(owner, name string) string {
	if identifier().MatchString(name) {
		return owner + "." + name
	}
	quoted, _ := toolscript.PlainJSON(name) // strings can always be marshalled
	return owner + "[" + string(quoted) + "]"
}
