package workers

import (
	"fmt"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// Return gives a borrowed worker back. A broken one is replaced.
type Return struct {
	Worker Worker
	Broken bool
}

// Describe asks for the state of the pool.
type Describe struct {
	Reply mailbox.Reply[State]
}

// State is how many processes a pool has and how many runs wait for one.
type State struct {
	Idle, Busy, Starting, Waiting int
	Deaths                        int    // processes that have ended so far
	LastError                     string // of the last start that failed
	Wall                          []toolscript.WallPart
}

func (s State) String() string {
	return fmt.Sprintf("%d idle, %d busy, %d starting, %d waiting", s.Idle, s.Busy, s.Starting, s.Waiting)
}

// The pool's messages to itself.
type (
	started struct { // a start has ended
		worker Worker
		err    error
	}
	died struct{ worker Worker } // a process is gone
	reap struct{ resting }       // a worker has been idle for IdleTime
)
