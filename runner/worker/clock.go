package worker

// relayClock tells the worker when the clock of the run stops or continues, until the
// run is over. The worker enforces a limit of wall time too.
func (r *run) relayClock() {
	sent := false
	for {
		standing, changed := r.job.Clock.Standing()
		if standing != sent {
			sent = standing
			_ = r.sendJSON(frameClock, clockHeader{standing}, nil) // a broken link shows where frames are read
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// stand stops the clock of the worker's side, or restarts it.
func (j *job) stand(still bool) {
	switch {
	case still && j.resumeClock == nil:
		j.resumeClock = j.Clock.Hold()
	case !still && j.resumeClock != nil:
		j.resumeClock()
		j.resumeClock = nil
	}
}
