package worker

// relayClock tells the worker when the clock of the run stops or continues, until the run is
// over: the worker also enforces the limit of wall time.
func (r *sandboxRun) relayClock() {
	sent := false
	for {
		stopped, changed := r.job.Clock.Watch()
		if stopped != sent {
			sent = stopped
			_ = r.sendJSON(frameClock, clockHeader{stopped}, nil) // the reader of frames sees a broken link
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// setClock stops or restarts the clock of the worker's side.
func (g *guest) setClock(stopped bool) {
	switch {
	case stopped && g.resumeClock == nil:
		g.resumeClock = g.Clock.Hold()
	case !stopped && g.resumeClock != nil:
		g.resumeClock()
		g.resumeClock = nil
	}
}
