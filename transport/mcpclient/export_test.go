package mcpclient

import "time"

// SetUndoExit sets the time that a package manager has to remove what it has installed, until restore is called.
func SetUndoExit(limit time.Duration) (restore func()) {
	before := undoExit
	undoExit = limit
	return func() { undoExit = before }
}
