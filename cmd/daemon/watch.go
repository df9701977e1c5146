package daemon

import (
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/runner/observed"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// Watch has one stdio server watched. The methods of nil do nothing more than without.
type Watch struct {
	Server  string
	Confine mcpclient.Confine // of that server, in the place of the configured one
	Record  *observed.Record  // of what it does
}

// apply changes the server in a configuration.
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

// confiner starts the confined servers of a host.
func (w *Watch) confiner(h *Host) harness.Confiner {
	c := harness.Confiner{CacheDir: h.Cache("confined")}
	if w != nil {
		c.Record = w.Record
	}
	return c
}
