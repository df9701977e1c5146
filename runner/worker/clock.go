package worker

// relayClock tells the worker whenever the run's clock stops or goes on, until the
// run is over. The worker has a limit of wall time of its own to keep.
func (r *run) relayClock() {
	told := false
	for {
		standing, changed := r.job.Clock.Standing()
		if standing != told {
			told = standing
			_ = r.tell(frameClock, clockHeader{standing}, nil) // a broken link shows where frames are read
		}
		select {
		case <-changed:
		case <-r.ctx.Done():
			return
		}
	}
}

// stand stops the clock of the worker's own side, or lets it go on.
func (j *job) stand(still bool) {
	switch {
	case still && j.goOn == nil:
		j.goOn = j.Clock.Hold()
	case !still && j.goOn != nil:
		j.goOn()
		j.goOn = nil
	}
}
