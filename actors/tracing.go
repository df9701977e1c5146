package actors

import (
	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs"
)

// The spans of a run: one for the run, below it one for each call, and below each call one for
// each request to a server (package server). Without a Tracer, the traceparent of the caller
// is passed to the servers.

// followRun begins the span of a run and makes it the parent of the calls. followed passes
// events to emit and completes the log of the run; over must be called at the end.
func (s *System) followRun(request *toolscript.ExecRequest, emit runs.Emit) (followed runs.Emit, over func(error)) {
	followed = s.logged(emit)
	if s.options.Tracer == nil {
		return followed, func(error) {}
	}
	span := s.options.Tracer.Start(request.Trace, toolscript.SpanOptions{Name: "run", Attributes: []toolscript.Attribute{
		{Name: "toolscript.script.file", Value: request.File}, {Name: "toolscript.script.engine", Value: request.Engine},
	}})
	request.Trace = span.Traceparent()
	ended, outcome := false, "" // written by emit, which has returned before over is called
	logged := followed
	followed = func(e toolscript.Event) error {
		switch {
		case e.Type == toolscript.EventStart:
			span.Set("toolscript.run.id", e.RunID)
		case e.Type == toolscript.EventEnd && e.End != nil:
			ended, outcome = true, string(e.Kind)
		}
		return logged(e)
	}
	return followed, func(err error) {
		switch {
		case err != nil:
			outcome = string(toolscript.KindOf(err))
		case !ended: // the run ended because the client is gone
			outcome = string(toolscript.Cancelled)
		}
		span.End(outcome)
	}
}

// callSpan is the span of a call; the zero callSpan records nothing.
type callSpan struct{ toolscript.Span }

// traceCall begins the span of a call and makes it the parent of its requests.
func (s *System) traceCall(call *toolscript.Call) callSpan {
	if s.options.Tracer == nil {
		return callSpan{}
	}
	span := s.options.Tracer.Start(call.Trace, toolscript.SpanOptions{Name: "execute_tool " + call.ID, Attributes: []toolscript.Attribute{
		{Name: "gen_ai.operation.name", Value: "execute_tool"}, {Name: "gen_ai.tool.name", Value: call.ID},
		{Name: "gen_ai.tool.call.id", Value: call.CallID}, {Name: "toolscript.run.id", Value: call.Run},
	}})
	call.Trace = span.Traceparent()
	return callSpan{span}
}

// over ends the span with the outcome of the call.
func (c callSpan) over(outcome string) {
	if c.Span == nil {
		return
	}
	if outcome == toolscript.OutcomeOK {
		outcome = ""
	}
	c.End(outcome)
}
