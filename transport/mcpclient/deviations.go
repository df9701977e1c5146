package mcpclient

import (
	"log/slog"
	"slices"
	"sync"

	"github.com/toolscript/toolscript/transport/upstream"
)

// deviations are the ways in which a server departs from MCP without harm.
type deviations struct {
	on upstream.Events

	mu  sync.Mutex
	all []string // sorted
}

// note records one of them. The first time, it is also logged.
func (d *deviations) note(how string) {
	d.mu.Lock()
	at, known := slices.BinarySearch(d.all, how)
	if !known {
		d.all = slices.Insert(d.all, at, how)
	}
	d.mu.Unlock()
	if !known {
		d.on.Logf(slog.LevelInfo, "the server %s, which toolscript accepts", how)
	}
}

// Deviations returns the ways in which the server has departed from MCP so far and was understood
// nevertheless, as texts that follow the name of the server.
func (c *Conn) Deviations() []string {
	c.calls.odd.mu.Lock()
	defer c.calls.odd.mu.Unlock()
	return slices.Clone(c.calls.odd.all)
}
