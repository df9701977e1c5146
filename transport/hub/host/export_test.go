package host

// LoseNATS ends the hub's own connection to the NATS server.
func (h *Host) LoseNATS() error {
	id, err := h.nc.GetClientID()
	if err != nil {
		return err
	}
	return h.broker.server.DisconnectClientByID(id)
}

// Cut ends the connection of a hub to its fleet as the end of its process does.
func (f *Fleet) Cut() { f.nc.Close() }
