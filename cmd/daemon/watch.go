package daemon

import (
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/runner/observed"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Watch makes a gateway observe one stdio server. A nil Watch observes nothing.
type Watch struct {
	Server  string
	Confine upstream.Confine // confinement of the server, instead of the configured one
	Record  *observed.Record // record of what the server does
}

// apply sets the confinement of the server in a configuration.
func (w *Watch) apply(loaded *config.Config) {
	if w == nil {
		return
	}
	if c, ok := loaded.Servers[w.Server]; ok {
		confine := w.Confine
		confine.Watched = true
		c.Trial = &confine
		loaded.Servers[w.Server] = c
	}
}

// confiner returns the starter of confined servers.
func (w *Watch) confiner(h *Host) harness.Confiner {
	c := harness.Confiner{CacheDir: h.Cache("confined")}
	if w != nil {
		c.Record = w.Record
	}
	return c
}
