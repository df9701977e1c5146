package session

import (
	"log/slog"
	"time"

	"github.com/toolscript/toolscript"
)

// Process is the process of a sandbox.
type Process interface {
	PID() int
	Done() <-chan struct{} // closed when the process has ended
}

// Options describe the engine of a session.
type Options struct {
	Log *slog.Logger

	// Poll is the interval at which the session reads the processor time and the memory of
	// the process.
	Poll time.Duration
	// LimitGrace is how far a script may exceed its time limits before the session stops it.
	// It lets an engine enforce the limits first.
	LimitGrace time.Duration
	// Overrun returns an error if the process exceeds a limit of the engine, such as memory.
	// It is called at each Poll.
	Overrun func() *toolscript.RunError
	// Cancel asks the process to end its script when the context of the run ends. The
	// process has CancelGrace to do so. A nil Cancel stops the run at once.
	Cancel      func()
	CancelGrace time.Duration
	// MaxAnswer bounds an answer of a tool, in bytes.
	MaxAnswer int
	// Deliver passes on an answer without blocking. If rest is not nil, a goroutine of the
	// session calls it to finish the delivery, which may block.
	Deliver func(Answer) (rest func())
}
