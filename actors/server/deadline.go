package server

import (
	"context"
	"fmt"
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
}

func newDeadline(parent context.Context, limit time.Duration, about toolscript.Error) *deadline {
	about.Kind = toolscript.Timeout
	about.Err = fmt.Errorf(`no answer and no progress within %s; a longer "timeout" can be set for the server in .toolscript.json`, limit)
	ctx, cancel := context.WithCancelCause(parent)
	return &deadline{ctx, cancel, limit, time.AfterFunc(limit, func() { cancel(&about) })}
}

// progressed starts the time anew. It does nothing once the deadline is over,
// and may be called from any goroutine.
func (d *deadline) progressed() {
	if d.ctx.Err() == nil {
		d.timer.Reset(d.limit)
	}
}

// done releases what the deadline holds.
func (d *deadline) done() {
	d.timer.Stop()
	d.cancel(nil)
}
