package workers

import (
	"context"
	"sync/atomic"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// Worker is a script worker process.
type Worker interface {
	// Done is closed when the process is gone.
	Done() <-chan struct{}
	// Kill ends the process at once. It may be called at any time, more than once.
	Kill()
	// Wall is what stands between the process and the system.
	Wall() []toolscript.WallPart
}

// borrow asks the pool for a worker. Pool and asker settle who ends it: the one
// that does first, so that a worker lent to somebody who has just given up is
// never lost.
type borrow struct {
	ctx     context.Context
	reply   chan lent
	settled *atomic.Bool
}

type lent struct {
	worker Worker
	err    error
}

func (b borrow) settle() bool { return b.settled.CompareAndSwap(false, true) }

// Take borrows a worker from the pool at to, waiting for one until ctx ends.
// Whoever gets one sends it back with Return.
func Take(ctx context.Context, to mailbox.Address) (Worker, error) {
	b := borrow{ctx, make(chan lent, 1), new(atomic.Bool)}
	to.Engine.Send(to.PID, b)
	var none error
	select {
	case l := <-b.reply:
		return l.worker, l.err
	case <-ctx.Done():
		none = mailbox.ContextError(ctx)
	case <-to.Gone:
		none = mailbox.ErrStopped
	case <-to.Ended:
		none = mailbox.ErrEnded
	}
	if b.settle() {
		return nil, none
	}
	l := <-b.reply // lent in the same moment
	return l.worker, l.err
}

// GiveBack returns w to the pool it was taken from.
func GiveBack(to mailbox.Address, w Worker, broken bool) {
	to.Engine.Send(to.PID, Return{w, broken})
}
