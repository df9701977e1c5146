package naming

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
)

// Selection lists the entries of a filter that select nothing, and the selected servers that are or were not
// connected.
type Selection struct {
	Unknown   []UnknownEntry             `json:"unknown,omitempty"`   // entries that select nothing
	Missing   []toolscript.MissingServer `json:"missing,omitempty"`   // selected servers that are not connected
	WaitedFor []string                   `json:"waitedFor,omitempty"` // selected servers that were connecting at first
}

// UnknownEntry is an entry of a filter that selects nothing. At most one of its other
// fields is set.
type UnknownEntry struct {
	Entry       string                    `json:"entry"`
	Suggestions []string                  `json:"suggestions,omitempty"` // similar servers and tool ids
	Servers     []string                  `json:"servers,omitempty"`     // all servers, if no name is similar
	Server      *toolscript.MissingServer `json:"server,omitempty"`      // a server that is not connected and may have the tool
}

const (
	mostExplained   = 20 // maximum number of unknown entries with suggestions, whose cost grows with the catalog
	mostListedNames = 50
)

// NewSelection matches a filter against the tools of a catalog. servers are the servers
// that the caller may know about.
func NewSelection(f toolscript.Filter, c toolscript.Catalog, servers []toolscript.ServerStatus) Selection {
	var s Selection
	names := make([]string, len(servers))
	for i, server := range servers {
		names[i] = server.Name
		if !server.Serves() && f.Reaches(server.Name) {
			s.Missing = append(s.Missing, toolscript.MissingServer{Name: server.Name, State: server.State, Error: cmp.Or(server.Error, server.Start(time.Now()))})
		}
	}
	for _, entry := range f {
		if selectsAny(entry, c, names) {
			continue
		}
		unknown := UnknownEntry{Entry: entry}
		if i := slices.IndexFunc(s.Missing, func(m toolscript.MissingServer) bool { return toolscript.Filter{entry}.Reaches(m.Name) }); i >= 0 {
			unknown.Server = &s.Missing[i]
		} else if len(s.Unknown) < mostExplained {
			unknown.suggest(c, names)
		}
		s.Unknown = append(s.Unknown, unknown)
	}
	return s
}

// selectsAny reports whether an entry selects a tool or is the name of a server.
func selectsAny(entry string, c toolscript.Catalog, servers []string) bool {
	if _, found := c.Lookup(entry); found || slices.Contains(servers, entry) {
		return true
	}
	m := toolscript.Filter{entry}.Matcher()
	accounts := func(server string) bool { return toolscript.WithoutAccount(server) != server }
	if !m.Patterns() && !slices.ContainsFunc(servers, accounts) {
		return false
	}
	if slices.ContainsFunc(servers, m.Server) {
		return true
	}
	for id, t := range c.All() {
		if m.Match(t.Server, id) {
			return true
		}
	}
	return false
}

// suggest sets Suggestions: tools whose name or id has another spelling; otherwise similar tools;
// otherwise similar servers. If there are none, it sets Servers.
func (u *UnknownEntry) suggest(c toolscript.Catalog, servers []string) {
	var same, names []string
	ids := map[string][]string{}
	wanted := plain(strings.TrimPrefix(u.Entry, "tools."))
	for id, tool := range c.All() {
		if wanted == plain(tool.Name) || wanted == plain(id) {
			same = append(same, id)
		}
		for _, name := range []string{tool.Name, id} {
			if ids[name] == nil {
				names = append(names, name)
			}
			ids[name] = append(ids[name], id)
		}
	}
	if len(same) == 0 {
		for _, name := range Nearest(u.Entry, names, mostNear) {
			for _, id := range ids[name] {
				if !slices.Contains(same, id) {
					same = append(same, id)
				}
			}
		}
	}
	if len(same) == 0 {
		same = Nearest(u.Entry, servers, mostNear)
	}
	u.Suggestions = same[:min(len(same), mostNear)]
	if len(same) == 0 {
		u.Servers = servers[:min(len(servers), mostListedNames)]
	}
}
