package mcpclient

import "time"

// SetUndoExit sets the time that a package manager has to remove what it has installed, until restore is called.
func SetUndoExit(limit time.Duration) (restore func()) {
	before := undoExit
	undoExit = limit
	return func() { undoExit = before }
}

// SetPatience changes how long a server may leave the request of the newest version unanswered.
func SetPatience(change func(time.Duration) time.Duration) {
	for _, patience := range []*time.Duration{&patienceStdio, &patienceHTTP, &patienceKnown} {
		*patience = change(*patience)
	}
}
