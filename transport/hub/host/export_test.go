package host

import "time"

// LoseNATS ends the hub's own connection to the NATS server.
func (h *Host) LoseNATS() error {
	id, err := h.nc.GetClientID()
	if err != nil {
		return err
	}
	return h.broker.server.DisconnectClientByID(id)
}

// Cut ends the connection of a hub to its fleet as the end of its process does.
func (f *Fleet) Cut() {
	f.nc.Close()
	f.control.Close()
}

// Answers is the number of large answers that are on their way.
func (f *Fleet) Answers() (n int) {
	for _, g := range f.all() {
		g.mu.Lock()
		n += len(g.answers)
		g.mu.Unlock()
	}
	return n
}

// Young is the age of a call that begins without a question to its gateway.
const Young = young

// PauseLimit is how long the process may be stopped while a call waits in the hub.
const PauseLimit = pauseLimit

// Pause has the hub see that its process was stopped for a time.
func (f *Fleet) Pause(d time.Duration) {
	f.pauses.mu.Lock()
	defer f.pauses.mu.Unlock()
	f.pauses.last -= d
}
