package actors

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/internal/naming"
)

// need is an entry of ExecRequest.Needs: a server, a tool id, or server.tool with the names
// that scripts write or that the servers use. Each entry is a pattern of MatchName.
type need string

// dotted returns the entry without the prefix "tools.".
func (n need) dotted() string { return strings.TrimPrefix(string(n), "tools.") }

// id returns the entry with the separator of tool ids in place of the first dot.
func (n need) id() string {
	if strings.Contains(string(n), toolscript.Separator) {
		return string(n)
	}
	return strings.Replace(n.dotted(), ".", toolscript.Separator, 1)
}

// matches reports whether a tool that can be called satisfies the entry.
func (n need) matches(s naming.Server, tool toolscript.Tool, ident string) bool {
	for _, server := range n.names(s) {
		if toolscript.MatchName(string(n), server) {
			return true
		}
		for _, name := range []string{tool.Name, ident} {
			if toolscript.MatchName(string(n), server+toolscript.Separator+name) ||
				toolscript.MatchName(n.dotted(), s.Ident+"."+name) || toolscript.MatchName(n.dotted(), server+"."+name) {
				return true
			}
		}
	}
	return false
}

// names returns the names that an entry may use for a server. A server of a default account has its name without the
// account too.
func (n need) names(s naming.Server) []string {
	if s.Further() || len(s.Accounts) == 0 {
		return []string{s.Name}
	}
	return []string{s.Name, toolscript.WithoutAccount(s.Name)}
}

// reaches reports whether a tool of the server can satisfy the entry.
func (n need) reaches(s naming.Server) bool {
	return slices.ContainsFunc(n.names(s), func(server string) bool {
		return toolscript.MatchName(string(n), server) || toolscript.MayMatch(string(n), server+toolscript.Separator) ||
			toolscript.MayMatch(n.dotted(), s.Ident+".") || toolscript.MayMatch(n.dotted(), server+".")
	})
}

// needed returns the allowed servers that may have the tools that a run requires.
func (s *System) needed(needs []string, allow toolscript.Filter) toolscript.Filter {
	f := toolscript.Filter{}
	for _, known := range s.current().Names().Servers {
		if allow.Reaches(known.Name) && slices.ContainsFunc(needs, func(n string) bool { return need(n).reaches(known) }) {
			f = append(f, known.Name)
		}
	}
	return f
}

// missingTools returns an error if a tool that a run requires cannot be called now. The
// error names each such entry, the reason and the next command, and reveals nothing that
// allow excludes.
func (s *System) missingTools(needs []string, allow toolscript.Filter) error {
	l := lack{view: s.current(), allow: allow}
	var lines []string
	for _, n := range needs {
		if why := l.reason(need(n)); why != "" {
			lines = append(lines, fmt.Sprintf("\n  %s: %s", n, why))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return &toolscript.Error{Kind: toolscript.MissingTools, Err: fmt.Errorf(
		"nothing of the script was run: %d of %d required tools cannot be called%s", len(lines), len(needs), strings.Join(lines, ""))}
}

// lack finds the reasons why tools cannot be called.
type lack struct {
	view  catalog.View
	allow toolscript.Filter
}

// reason returns "" if a tool that matches the entry can be called. Otherwise it returns the first known of these
// reasons: the tool is in quarantine, its server is not ready, allow excludes it, nothing matches the entry.
func (l *lack) reason(n need) string {
	var refused, away, forbidden string
	for _, known := range l.view.Names().Servers {
		status, ok := l.status(known.Name)
		if !ok || !n.reaches(known) {
			continue
		}
		for _, t := range known.Tools {
			tool, ok := l.view.Catalog.Lookup(t.ID)
			if !ok || !n.matches(known, tool, t.Ident) {
				continue
			}
			switch {
			case !l.allow.Match(tool):
				forbidden = cmp.Or(forbidden, runs.Forbidden(string(n), l.allow).Error())
			case status.Serves():
				return ""
			}
		}
		switch {
		case !l.allow.Reaches(known.Name):
			forbidden = cmp.Or(forbidden, runs.Forbidden(string(n), l.allow).Error())
		case !status.Serves():
			away = cmp.Or(away, refusal(status))
		default:
			refused = cmp.Or(refused, l.held(n, known, status))
		}
	}
	return cmp.Or(refused, away, forbidden, l.unknown(n))
}

func (l *lack) status(name string) (toolscript.ServerStatus, bool) {
	i := slices.IndexFunc(l.view.Servers, func(s catalog.Server) bool { return s.Name == name })
	if i < 0 {
		return toolscript.ServerStatus{}, false
	}
	return l.view.Servers[i].ServerStatus, true
}

// refusal returns the reason why a server is not ready, and the next command.
func refusal(status toolscript.ServerStatus) string {
	why := server.Refusal(status, "").Error()
	if strings.Contains(why, "toolscript ") {
		return why
	}
	return why + "; see: toolscript list-servers"
}

// held returns the error of a tool in quarantine that matches the entry; "" if there is none.
func (l *lack) held(n need, known naming.Server, status toolscript.ServerStatus) string {
	for _, c := range status.Pins {
		tool := toolscript.Tool{Server: known.Name, Name: c.Tool}
		if c.Held && l.allow.Match(tool) && (c.Tool == "" || n.matches(known, tool, naming.Identifier(c.Tool))) {
			return server.Quarantine(tool, c).Error()
		}
	}
	return ""
}

// unknown returns the reason for an entry that no known tool matches. For an entry that allow
// excludes, the text is the same as for a tool that exists.
func (l *lack) unknown(n need) string {
	if l.allow != nil && !l.allow.Covers(n.id()) {
		return runs.Forbidden(string(n), l.allow).Error()
	}
	var servers, ids []string
	owner := ""
	for _, known := range l.view.Names().Servers {
		if !l.allow.Reaches(known.Name) {
			continue
		}
		servers = append(servers, known.Name)
		if n.reaches(known) {
			owner = known.Name
		}
		for _, t := range known.Tools {
			if tool, ok := l.view.Catalog.Lookup(t.ID); ok && l.allow.Match(tool) {
				ids = append(ids, t.ID)
			}
		}
	}
	if owner != "" {
		return fmt.Sprintf("server %s has no such tool, or its includeTools or excludeTools leave the tool out%s; see: %s",
			owner, naming.DidYouMean(naming.Nearest(string(n), ids, nearNames)), toolscript.Command("list-tools", owner))
	}
	first, _, _ := strings.Cut(strings.ReplaceAll(n.dotted(), toolscript.Separator, "."), ".")
	return fmt.Sprintf("no server of this name is configured%s; see: toolscript list-servers", naming.DidYouMean(naming.Nearest(first, servers, nearNames)))
}
