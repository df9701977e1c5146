package mcpclient

import (
	"log/slog"
	"slices"
	"sync"

	"github.com/toolscript/toolscript/transport/upstream"
)

// deviations records how a server deviates from MCP in ways that this package tolerates.
type deviations struct {
	on upstream.Events

	mu  sync.Mutex
	all []string // sorted
}

// note records a deviation. It also logs each deviation once.
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

// Deviations returns the deviations of the server from MCP so far that this package has tolerated. Each
// is a text that continues a sentence after the name of the server.
func (c *Conn) Deviations() []string {
	c.calls.odd.mu.Lock()
	defer c.calls.odd.mu.Unlock()
	return slices.Clone(c.calls.odd.all)
}
