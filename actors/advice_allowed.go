package actors

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
)

// notAllowed returns the message for a tool or server that exists and that the allow list
// of the script leaves out; "" for all other names. Scripts in answers and runs with a
// profile are checked against the allowed tools only. Other scripts are checked against all
// tools, and the gateway refuses the call.
func (a *adviser) notAllowed(about toolscript.Subject) string {
	if a.allow == nil || about.Name == "" {
		return ""
	}
	switch server := a.serverOf(about.In); {
	case server >= 0:
		return a.refusedOf(a.names.Servers[server], about.Name, a.table.Idents(server))
	case isTools(about.In):
		idents := naming.NewTable(a.written, a.allow, nil).Idents(naming.None)
		if s, is := a.names.Server(about.Name); is {
			if a.table.Shown(naming.None, about.Name) {
				return ""
			}
			if refused := a.refusedOf(s, about.Next, idents); refused != "" {
				return refused
			}
			return a.notAllowedText(s.Name, idents)
		}
		return a.refusedFlat(about, idents, func(path, part string) bool { return strings.HasPrefix(path, part) })
	case strings.HasPrefix(plainType(about.In), "{"): // a group of flat names, whose type has no name
		return a.refusedFlat(about, nil, func(path, part string) bool { return strings.Contains(path, "."+part) })
	}
	return ""
}

// refusedOf returns the message for a tool of a server that the script may not call, else "".
func (a *adviser) refusedOf(s naming.Server, ident string, idents []string) string {
	for _, t := range s.Tools {
		if t.Ident == ident && !a.mayCall(t.ID) {
			return a.notAllowedText(t.ID, idents)
		}
	}
	return ""
}

// refusedFlat returns the message for a flat name that the script may not call, else "".
// within reports whether path contains part, the name in the script; both end with a dot.
func (a *adviser) refusedFlat(about toolscript.Subject, idents []string, within func(path, part string) bool) string {
	name := about.Name + "."
	used := name
	if about.Next != "" {
		used += about.Next + "."
	}
	var ids []string
	for path, id := range a.written.FlatNames() {
		found := within(path+".", used) || within(path+".", name) && strings.HasSuffix("."+path, "."+about.Name)
		if found && !a.mayCall(id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return a.notAllowedText(slices.Min(ids), idents)
}

func (a *adviser) mayCall(id string) bool {
	tool, known := a.catalog.Lookup(id)
	return known && a.allow.Match(tool)
}

// notAllowedText returns the message for a tool id or server. idents are the names that the
// script may use in its place.
func (a *adviser) notAllowedText(name string, idents []string) string {
	if a.written.Flat == nil {
		return name + " is not allowed: the profile of this run leaves it out" + thereAre(idents, "list-tools")
	}
	return fmt.Sprintf("%s is not allowed: it is not among the tools that this script may call"+
		"\n  --allow-tools %[1]s allows it, or a --tool-pack that has it (allowedTools and toolPack of POST /harness), unless --allow excludes it", name) +
		thereAre(idents, "list-tools")
}
