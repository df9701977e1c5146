package execution

import (
	"context"
	"errors"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// turns lets so many calls of a run be under way at once, and has the others wait
// in the order in which they came. It is safe for concurrent use.
type turns struct {
	mu      sync.Mutex
	free    int64   // how many more may be under way
	waiting []*turn // the first to come first
}

// turn is the place of one call.
type turn struct {
	of   *turns
	came chan struct{} // closed when it is the call's turn
	gone bool          // it has been given up before
}

// queue gives a call its place, behind all others.
func (t *turns) queue() *turn {
	place := &turn{of: t, came: make(chan struct{})}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = append(t.waiting, place)
	t.next()
	return place
}

// next is called with mu held. It lets go who need wait no longer.
func (t *turns) next() {
	for t.free > 0 && len(t.waiting) > 0 {
		first := t.waiting[0]
		t.waiting = t.waiting[1:]
		if !first.gone {
			t.free--
			close(first.came)
		}
	}
}

// wait waits for the call's turn. Who has waited without an error must leave.
func (p *turn) wait(ctx context.Context) error {
	select {
	case <-p.came:
	case <-ctx.Done():
	}
	if ctx.Err() != nil { // that it could begin is no reason to
		p.leave()
		return aborted(ctx)
	}
	return nil
}

// aborted is why a call does not begin whose ctx has ended.
func aborted(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), runner.ErrCallCancelled) {
		return &toolscript.Error{Kind: toolscript.Cancelled, Err: runner.ErrCallCancelled}
	}
	return errAborted
}

// leave gives the place up, whether its turn has come or not.
func (p *turn) leave() {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	select {
	case <-p.came:
		p.of.free++
		p.of.next()
	default:
		p.gone = true
	}
}
