package names

import (
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// sight is what an allow list lets a script see. The zero value shows all.
type sight struct {
	filter  toolscript.Filter
	entries map[string]bool // of filter: a list can be long, and so can a server's tools
	servers map[int]bool    // that have been looked at
}

func newSight(f toolscript.Filter) sight {
	if f == nil {
		return sight{}
	}
	s := sight{filter: f, entries: make(map[string]bool, len(f)), servers: map[int]bool{}}
	for _, entry := range f {
		s.entries[entry] = true
	}
	return s
}

// server reports whether a server is shown: one of which the run may call
// anything. Of a server that is not connected that is not known, and its name in
// the list is enough. What the program itself offers is shown always.
func (s sight) server(i int, server runner.ServerNames) bool {
	if s.filter == nil || server.Own || s.entries[server.Server] {
		return true
	}
	shown, known := s.servers[i]
	if !known {
		shown = slices.ContainsFunc(server.Tools, func(t runner.ToolNames) bool { return s.entries[t.ID] }) ||
			(len(server.Tools) == 0 && s.filter.Reaches(server.Server))
		s.servers[i] = shown
	}
	return shown
}

// tool reports whether a tool of a server is shown.
func (s sight) tool(server runner.ServerNames, id string) bool {
	return s.filter == nil || server.Own || s.entries[server.Server] || s.entries[id]
}
