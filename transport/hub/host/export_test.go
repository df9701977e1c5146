package host

import (
	"time"

	"github.com/toolscript/toolscript/transport/hub/wire"
)

// KeyShown is the number of digits of a key in shown names.
const KeyShown = keyShown

// NewShared creates a server with a key, and returns the name of its actor and the shown one.
func (h *Host) NewShared(key string, d wire.Definition) (name, shown string, err error) {
	s, err := h.newShared(key, d)
	if err != nil {
		return "", "", err
	}
	return s.name, s.shown, nil
}

// LoseNATS ends the hub's own connection to the NATS server.
func (h *Host) LoseNATS() error {
	id, err := h.nc.GetClientID()
	if err != nil {
		return err
	}
	return h.broker.server.DisconnectClientByID(id)
}

// Cut closes the connection of a hub to its fleet, like the end of its process.
func (f *Fleet) Cut() {
	f.nc.Close()
	f.control.Close()
}

// Answers returns the number of large answers that are being sent.
func (f *Fleet) Answers() (n int) {
	for _, g := range f.all() {
		g.mu.Lock()
		n += len(g.answers)
		g.mu.Unlock()
	}
	return n
}

// Young is the age below which a call begins without asking its gateway.
const Young = young

// PauseLimit is the longest stop of the process after which a waiting call still begins.
const PauseLimit = pauseLimit

// Pause makes the hub notice a stop of its process for d.
func (f *Fleet) Pause(d time.Duration) {
	f.pauses.mu.Lock()
	defer f.pauses.mu.Unlock()
	f.pauses.last -= d
}

// ID returns the id of the hub in the fleet.
func (f *Fleet) ID() string { return f.id }
