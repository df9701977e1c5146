package actors

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/internal/budget"
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

// startCall starts a call of a script directly on the connection of its server, if no step
// of it has to wait. See runs.Deps.
func (s *System) startCall(call *toolscript.Call, tool *toolscript.Tool, held *budget.Held, done func(json.RawMessage, error)) (stop func(error), sent bool) {
	args := call.Args
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if s.closing.Err() != nil || call.Key != "" || !s.free(*tool) || toolscript.AsksForPage(args) || !s.arguments.Fits(tool.InputSchema, args) {
		return nil, false
	}
	ended := s.report(call)
	m := request(call, tool, args)
	m.Ctx, m.Held = context.Background(), held
	return s.port(tool.Server).Start(&m, func(result json.RawMessage, err error) {
		if errors.Is(err, server.ErrChanged) {
			done(nil, runs.ErrNotSent)
			return
		}
		if err == nil {
			s.observe(*tool, result)
		}
		done(ended(result, s.stopped(err)))
	})
}

// report publishes the start of a call, and returns a function that publishes its end. That function returns the
// result and the error for the caller.
func (s *System) report(call *toolscript.Call) (ended func(json.RawMessage, error) (json.RawMessage, error)) {
	s.begun(call)
	view, start, span := s.current(), time.Now(), s.traceCall(call)
	return func(result json.RawMessage, err error) (json.RawMessage, error) {
		err = settled(view, *call, err)
		span.over(s.ended(view, *call, time.Since(start), result, err))
		s.search.Busy()
		return result, err
	}
}
