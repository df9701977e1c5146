package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/proc"
)

const (
	lookEvery = 500 * time.Millisecond // between two looks at the activity of a start
	placeTime = 3 * time.Second        // inactivity after which the next start may begin
	quietTime = 10 * time.Second       // inactivity after which a start ends, once its limit is over
	longStart = 10 * time.Minute       // bounds an installation, and the start after it, even if active
)

// The least use that counts as activity. A server that only waits uses a little CPU time, too.
const (
	activeCPU = 100 * time.Millisecond
	activeIO  = 64 << 10
)

// startLimit returns how long callers wait for the start of a server. After that time, a start
// without activity ends.
func (o Options) startLimit() time.Duration { return cmp.Or(o.Config.StartupTimeout, o.ConnectTimeout) }

// startError is the reason why a start was ended; errors.Is matches context.DeadlineExceeded.
type startError struct {
	limit   time.Duration
	stalled time.Duration // how long the processes did nothing; 0: ended for another reason
}

func (e *startError) Error() string {
	text := fmt.Sprintf("not connected within %s", e.limit)
	if e.stalled > 0 {
		text += fmt.Sprintf(", and it did nothing for %s", e.stalled)
	}
	return text
}

func (e *startError) Is(target error) bool { return target == context.DeadlineExceeded }

// stalled reports whether a start was ended because its processes did nothing.
func stalled(err error) bool {
	var e *startError
	return errors.As(err, &e) && e.stalled > 0
}

// startWatch follows one start of a process: it tells the actor the state, frees the place of
// an inactive start, and ends the start when its time is over.
type startWatch struct {
	limit time.Duration
	place *admission
	state func(toolscript.ServerState) // tells the actor
	late  func()                       // tells the actor that the limit is over, once
	end   context.CancelCauseFunc      // ends the dial

	look atomic.Pointer[func() proc.Activity]
	runs chan struct{} // closed when look is set
}

// starting implements upstream.Events.Starting. It may be called again with another look.
func (w *startWatch) starting(look func() proc.Activity) {
	if w.look.Swap(&look) == nil {
		close(w.runs)
	}
}

// run returns when the dial has ended. Without a process to look at, only the limit ends the dial.
func (w *startWatch) run(ctx context.Context) {
	limit := time.NewTimer(w.limit)
	defer limit.Stop()
	free := time.AfterFunc(placeTime, func() { w.place.become(idle) })
	defer free.Stop()
	select {
	case <-w.runs:
		free.Stop()
	case <-limit.C:
		w.late()
		w.end(&startError{limit: w.limit})
		return
	case <-ctx.Done():
		return
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var p progress
	for {
		if err := w.step(&p, (*w.look.Load())(), time.Now()); err != nil {
			w.end(err)
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// progress is the state of a start as a startWatch has last seen it.
type progress struct {
	state  toolscript.ServerState
	since  time.Time // start of the state
	mark   proc.Activity
	active time.Time // when the processes were last seen to do something
	late   bool
}

// step handles one look. It returns an error if the start must end.
func (w *startWatch) step(p *progress, a proc.Activity, now time.Time) error {
	state, uses := toolscript.Starting, computing
	if a.Installing {
		state, uses = toolscript.Installing, installing
	}
	if state != p.state {
		p.state, p.since, p.active, p.mark = state, now, now, a
		w.place.become(uses)
		w.state(state)
	}
	if active(p.mark, a) {
		p.mark, p.active = a, now
	}
	spent, idleFor := now.Sub(p.since), now.Sub(p.active)
	if idleFor >= placeTime {
		w.place.become(idle)
	}
	if spent >= longStart {
		return &startError{limit: longStart}
	}
	if a.Installing || spent < w.limit {
		return nil
	}
	if !p.late {
		p.late = true
		w.late()
	}
	if quiet := min(w.limit, quietTime); idleFor >= quiet {
		return &startError{limit: w.limit, stalled: quiet}
	}
	return nil
}

// active reports whether the processes have done something between two looks.
func active(before, now proc.Activity) bool {
	return now.Output != before.Output || now.Processes != before.Processes ||
		now.CPU-before.CPU >= activeCPU || now.CPU < before.CPU || now.IO >= before.IO+activeIO
}
