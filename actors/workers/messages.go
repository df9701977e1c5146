package workers

import (
	"fmt"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// Return returns a borrowed worker. A broken worker is replaced.
type Return struct {
	Worker Worker
	Broken bool
}

// Describe asks for the state of the pool.
type Describe struct {
	Reply mailbox.Reply[State]
}

// State has the number of processes of a pool and of runs that wait for a process.
type State struct {
	Idle, Busy, Starting, Waiting int
	Deaths                        int    // processes that have ended so far
	LastError                     string // error of the last failed start
	Confinement                   []toolscript.Confinement
}

func (s State) String() string {
	return fmt.Sprintf("%d idle, %d busy, %d starting, %d waiting", s.Idle, s.Busy, s.Starting, s.Waiting)
}

// Messages of the pool to itself.
type (
	started struct { // a start has ended
		worker Worker
		err    error
	}
	died   struct{ worker Worker } // a process has ended
	reap   struct{ resting }       // a worker has been idle for IdleTime
	unused struct{}                // no run has needed a worker for UnusedTime
)
