package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/launch"
)

const (
	lookEvery = 500 * time.Millisecond // between two looks at a start
	placeTime = 3 * time.Second        // without activity, after which the next start may begin
	quietTime = 10 * time.Second       // without activity, after which a start ends at its limit
	longStart = 10 * time.Minute       // for an installation, and for the start after it, whatever they do
)

// What counts as activity. A server that waits for something uses a little CPU time, too.
const (
	activeCPU = 100 * time.Millisecond
	activeIO  = 64 << 10
)

// startLimit is how long callers wait for the start of a server, and after which a start ends
// that does nothing.
func (o Options) startLimit() time.Duration { return cmp.Or(o.Config.StartupTimeout, o.ConnectTimeout) }

// startError is why a start was ended. It is a context.DeadlineExceeded.
type startError struct {
	limit   time.Duration
	stalled time.Duration // how long the processes did nothing; 0: that is not why
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

// startWatch follows one start of a process: it tells the state to the actor, frees the place
// of a start that does nothing, and ends it when its time is over.
type startWatch struct {
	limit time.Duration
	place *place
	state func(toolscript.ServerState) // tells the actor
	late  func()                       // tells the actor that the limit is over, once
	end   context.CancelCauseFunc      // ends the dial

	look atomic.Pointer[func() launch.Activity]
	runs chan struct{} // closed when there is a look
}

// starting is mcpclient.Events.Starting. It may be called again with another look.
func (w *startWatch) starting(look func() launch.Activity) {
	if w.look.Swap(&look) == nil {
		close(w.runs)
	}
}

// run returns when the dial has ended. Without a process to look at, the limit is all there is.
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

// progress is what a startWatch has seen.
type progress struct {
	state  toolscript.ServerState
	since  time.Time // of the state
	mark   launch.Activity
	active time.Time // when the processes were last seen to do something
	late   bool
}

// step handles one look. The error is not nil if the start is to end.
func (w *startWatch) step(p *progress, a launch.Activity, now time.Time) error {
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
func active(before, now launch.Activity) bool {
	return now.Output != before.Output || now.Processes != before.Processes ||
		now.CPU-before.CPU >= activeCPU || now.CPU < before.CPU || now.IO >= before.IO+activeIO
}
