package server

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
)

// deadline is a time limit that starts anew with every sign of progress. The
// context it is made from bounds it from above.
type deadline struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	limit  time.Duration
	timer  *time.Timer

	mu     sync.Mutex
	paused int // by so many questions to a person
}

func newDeadline(parent context.Context, limit time.Duration, about toolscript.Error) *deadline {
	about.Kind = toolscript.Timeout
	about.Err = fmt.Errorf(`no answer and no progress within %s; a longer "timeout" can be set for the server in .toolscript.json`, limit)
	ctx, cancel := context.WithCancelCause(parent)
	return &deadline{ctx: ctx, cancel: cancel, limit: limit, timer: time.AfterFunc(limit, func() { cancel(&about) })}
}

// progressed starts the time anew. It does nothing once the deadline is over,
// and may be called from any goroutine.
func (d *deadline) progressed() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx.Err() == nil && d.paused == 0 {
		d.timer.Reset(d.limit)
	}
}

// pause stops the time until resume, which starts it anew.
func (d *deadline) pause() (resume func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.paused++
	d.timer.Stop()
	return func() {
		d.mu.Lock()
		d.paused--
		d.mu.Unlock()
		d.progressed()
	}
}

// done releases what the deadline holds.
func (d *deadline) done() {
	d.timer.Stop()
	d.cancel(nil)
}
