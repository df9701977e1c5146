package host

import (
	"encoding/json"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript/transport/hub/wire"
)

// Drained returns a channel that is closed when an operator has asked the hub to end. The hub must
// then be closed.
func (f *Fleet) Drained() <-chan struct{} { return f.drained }

// controlled handles a request of an operator.
func (f *Fleet) controlled(m *nats.Msg) {
	var r wire.ControlRequest
	if json.Unmarshal(m.Data, &r) != nil {
		return
	}
	mine := false
	switch m.Subject {
	case wire.FleetControl(wire.ControlDrain):
		if mine = r.Host != "" && r.Host == f.options.Host; mine {
			defer f.drainOnce()
		}
	case wire.FleetControl(wire.ControlRelease):
		f.mu.Lock()
		yield := f.owned[r.Server]
		f.mu.Unlock()
		if mine = yield != nil; mine {
			defer yield()
		}
	}
	if !mine {
		return
	}
	answer, err := json.Marshal(wire.Taker{Hub: f.id, Host: f.options.Host})
	if err == nil {
		_ = m.Respond(answer) // the operator's program also checks the fleet
	}
}
