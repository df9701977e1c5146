package actors

import (
	"strings"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/runner"
)

// tableOfNames makes the table that sandboxes resolve names with, once for each
// catalog.
func (s *System) tableOfNames() func() *runner.Names {
	var (
		mu    sync.Mutex
		table *runner.Names
	)
	return func() *runner.Names {
		names := s.Names()
		mu.Lock()
		defer mu.Unlock()
		if table == nil || table.Key != names.Key() {
			table = namesTable(names)
		}
		return table
	}
}

// namesTable is what scripts write and what goes on the wire.
func namesTable(names *codegen.Names) *runner.Names {
	table := &runner.Names{Key: names.Key()}
	for _, s := range names.Servers() {
		server := runner.ServerNames{Ident: s.Ident, Server: s.Server}
		for _, t := range s.Tools {
			server.Tools = append(server.Tools, runner.ToolNames{Ident: t.Ident, ID: t.ID})
		}
		table.Servers = append(table.Servers, server)
	}
	table.Servers = append(table.Servers, ownNames()...)
	return table
}

// ownNames are the members of tools that are no servers.
func ownNames() []runner.ServerNames {
	var own []runner.ServerNames
	for _, id := range toolscript.OfferedIDs() {
		member := toolscript.Offered{ID: id}.Member()
		if len(own) == 0 || own[len(own)-1].Ident != member {
			own = append(own, runner.ServerNames{Ident: member, Server: member, Own: true})
		}
		of := &own[len(own)-1]
		of.Tools = append(of.Tools, runner.ToolNames{Ident: strings.TrimPrefix(id, member+toolscript.Separator), ID: id})
	}
	return own
}
