package worker

// relayClock tells the worker when the clock of the run stops or continues, until the
// run is over. The worker enforces a limit of wall time too.
func (r *run) relayClock() {
	sent := false
	for {
		stopped, changed := r.job.Clock.Watch()
		if stopped != sent {
			sent = stopped
			_ = r.sendJSON(frameClock, clockHeader{stopped}, nil) // a broken link shows where frames are read
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// setClock stops the clock of the worker's side, or restarts it.
func (j *job) setClock(stopped bool) {
	switch {
	case stopped && j.resumeClock == nil:
		j.resumeClock = j.Clock.Hold()
	case !stopped && j.resumeClock != nil:
		j.resumeClock()
		j.resumeClock = nil
	}
}
