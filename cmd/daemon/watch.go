package daemon

import (
	"github.com/toolscript/toolscript/cmd/config"
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

// record returns the record of what the server does, nil if there is none.
func (w *Watch) record() *observed.Record {
	if w == nil {
		return nil
	}
	return w.Record
}
