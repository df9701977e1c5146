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
	// Confinement lists what the operating system denies to the process.
	Confinement() []toolscript.Confinement
}

// borrow requests a worker from the pool. Both the pool and the caller may end the request;
// settle makes the first of them win, so that a worker that was lent to a caller that has
// just given up is not lost.
type borrow struct {
	ctx     context.Context
	nested  bool
	reply   chan borrowed
	settled *atomic.Bool
}

type borrowed struct {
	worker Worker
	err    error
}

func (b borrow) settle() bool { return b.settled.CompareAndSwap(false, true) }

// Take borrows a worker from the pool at to, and waits for one until ctx ends. The
// caller returns it with GiveBack.
func Take(ctx context.Context, to mailbox.Address) (Worker, error) { return take(ctx, to, false) }

// TakeNested is Take for a run whose caller holds a worker of the pool. It may use the workers
// of Options.Nested.
func TakeNested(ctx context.Context, to mailbox.Address) (Worker, error) { return take(ctx, to, true) }

func take(ctx context.Context, to mailbox.Address, nested bool) (Worker, error) {
	b := borrow{ctx, nested, make(chan borrowed, 1), new(atomic.Bool)}
	mailbox.Send(to.Engine, to.PID, b)
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
	l := <-b.reply // the pool has replied meanwhile
	return l.worker, l.err
}

// expect announces a run that may need a worker.
type expect struct{}

// Expect announces to the pool at to that a run begins which may need a worker. After a pause,
// a worker then starts at once, before the run requests it.
func Expect(to mailbox.Address) { mailbox.Send(to.Engine, to.PID, expect{}) }

// GiveBack returns w to its pool.
func GiveBack(to mailbox.Address, w Worker, broken bool) {
	mailbox.Send(to.Engine, to.PID, Return{w, broken})
}
