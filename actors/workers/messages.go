package workers

import (
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
	Reply mailbox.Reply[toolscript.ActorStatus]
}

// The pool's messages to itself.
type (
	started struct { // a start has ended
		worker Worker
		err    error
	}
	died struct{ worker Worker } // a process is gone
	reap struct{ worker Worker } // a worker has been idle for IdleTime
)
