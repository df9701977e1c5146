package actors

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/actors/server"
)

// startCall starts a call of a script directly on the connection of its server, if no step
// of it has to wait. See runs.Deps.
func (s *System) startCall(c runs.Started, done func(json.RawMessage, error)) (stop func(error), sent bool) {
	args := c.Args
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if s.closing.Err() != nil || c.Key != "" || !s.free(c.Tool) || toolscript.AsksForPage(args) || !s.arguments.Fits(c.Tool.InputSchema, args) {
		return nil, false
	}
	ended := s.report(&c.Call)
	m := request(&c.Call, &c.Tool, args)
	m.Ctx, m.Held = context.Background(), c.Held
	return s.port(c.Tool.Server).Start(&m, func(result json.RawMessage, err error) {
		if errors.Is(err, server.ErrChanged) {
			done(nil, runs.ErrNotSent)
			return
		}
		if err == nil {
			s.observe(c.Tool, result)
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
