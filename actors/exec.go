package actors

import (
	"cmp"
	"context"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/internal/rescue"
)

// Exec runs a script and passes its events to emit as they happen. It returns when the
// run has ended. The error says why the run did not start. The run ends with ctx, and
// when emit fails.
func (s *System) Exec(ctx context.Context, request toolscript.ExecRequest, emit func(toolscript.Event) error) (err error) {
	defer rescue.Catch(s.panicked(&err))
	if err := s.narrow(&request); err != nil {
		return err
	}
	defaults := s.defaults()
	request.Check, request.TZ = cmp.Or(request.Check, defaults.Check), cmp.Or(request.TZ, defaults.zone())
	if request.Engine, err = s.engineFor(cmp.Or(request.Engine, defaults.Engine)); err != nil {
		return err
	}
	at, err := s.find(runsID)
	if err != nil {
		return err
	}
	s.expectWorkers(request.Engine)
	emit, over := s.followRun(&request, emit)
	defer func() { over(err) }()
	asking, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	handle, err := mailbox.Ask(asking, at, func(r mailbox.Reply[runs.Handle]) any {
		return runs.Begin{Ctx: ctx, Request: request, Emit: emit, Reply: r}
	})
	if err != nil {
		return err
	}
	<-handle.Done
	return nil
}
