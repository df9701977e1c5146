package actors

import (
	"context"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/runs/kept"
)

// Detach starts a run that goes on when ctx ends, and returns its id. It has no standard
// input. With request.Ask, its questions are among its events, which RunEvents returns. The run
// ends with the System; its last event then says so.
func (s *System) Detach(ctx context.Context, request toolscript.ExecRequest) (id string, err error) {
	request.Stdin, request.Terminal = false, 0
	d := &detachedRun{store: s.detached(), started: make(chan string, 1), failed: make(chan error, 1)}
	running, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	d.ctx = running
	s.work.Go(func() {
		defer cancel(nil)
		d.failed <- s.Exec(running, request, d.emit)
		d.close()
	}, func(err error) { d.failed <- err })
	select {
	case id := <-d.started:
		return id, nil
	case err := <-d.failed:
		select {
		case id := <-d.started: // the run has begun and ended
			return id, nil
		default:
			return "", d.why(err)
		}
	case <-ctx.Done():
		err := toolscript.ContextError(ctx)
		cancel(err)
		return "", err
	}
}

// RunEvents calls emit with the events of a detached run from its start, in order. With wait
// it returns after the last event of the run, else after the events so far. It also finds runs
// of other Systems with the same folder. The error is NotFound for all other runs.
func (s *System) RunEvents(ctx context.Context, id string, wait bool, emit func(toolscript.Event) error) error {
	return s.detached().Follow(ctx, id, wait, emit)
}

func (s *System) detached() kept.Events {
	return kept.Events{Dir: s.options.Scripts.DetachedDir}
}

// detachedRun writes the events of a detached run. Its methods are called one at a time.
type detachedRun struct {
	ctx     context.Context //nolint:containedctx // context of the run
	store   kept.Events
	log     *kept.EventLog
	fault   error // why the events could not be written
	started chan string
	failed  chan error // the result of Exec; buffered
}

// emit receives the events of the run and writes them.
func (d *detachedRun) emit(e toolscript.Event) error {
	if d.log == nil {
		if d.log, d.fault = d.store.Create(d.ctx, e.RunID); d.fault != nil {
			return d.fault
		}
		defer func() { d.started <- e.RunID }()
	}
	d.fault = d.log.Add(e)
	return d.fault
}

// why returns the reason why a run has not started.
func (d *detachedRun) why(err error) error {
	if d.fault != nil {
		return d.fault
	}
	if err == nil {
		return mailbox.ErrEnded
	}
	return err
}

func (d *detachedRun) close() {
	if d.log != nil {
		_ = d.log.Close() // all events have been written
	}
}
