package actors

import (
	"context"
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/internal/rescue"
)

const nearNames = 3 // similar ids in the error for an unknown id

// CallTool makes one tool call and returns the whole result of the server, even if it
// has isError. The error is a *toolscript.Error: Invalid if the arguments do not fit
// the schema of the tool, NotFound, Unauthorized, Unavailable or Busy with a time to
// try again, Timeout, ToolFailed. For a call with the capability of a run it can also
// be Forbidden, LimitCalls, or Cancelled at the end of the run.
func (s *System) CallTool(ctx context.Context, call toolscript.Call) (json.RawMessage, error) {
	if call.Run == "" {
		return s.callAny(ctx, call)
	}
	caller, err := askRuns(ctx, s, func(r mailbox.Reply[runs.Caller]) any {
		return runs.GetCaller{ID: call.Run, Reply: r}
	})
	if err != nil {
		return nil, err
	}
	return caller(ctx, call)
}

// callAny makes a call without applying the rules of a run.
func (s *System) callAny(ctx context.Context, call toolscript.Call) (json.RawMessage, error) {
	ended := s.report(&call)
	result, err := s.callChecked(ctx, &call)
	return ended(result, err)
}

// callTool resolves, checks and makes a call, which may wait for each of these steps.
func (s *System) callTool(ctx context.Context, call *toolscript.Call) (result json.RawMessage, err error) {
	sent := toolscript.SentNo
	defer func() { err = toolscript.WithSent(err, sent) }()
	defer rescue.Catch(s.panicked(&err))
	if s.closing.Err() != nil {
		return nil, mailbox.ErrStopped
	}
	tool, err := s.resolveCall(ctx, call, allowed(ctx))
	if err != nil {
		return nil, err
	}
	ctx, cancel := bounded(ctx, server.MaxCall)
	defer cancel()
	args, err := s.fit(ctx, tool, call.Args)
	if err != nil && s.Reread(ctx, tool.Server) { // the schema may have changed
		if tool, err = s.resolveCall(ctx, call, allowed(ctx)); err != nil {
			return nil, err
		}
		args, err = s.fit(ctx, tool, call.Args)
	}
	if err != nil {
		return nil, err
	}
	if err := s.approve(ctx, call, tool, args); err != nil {
		return nil, err
	}
	sent = "" // the reply says whether it was sent
	result, err = s.once(ctx, call, tool, args)
	if err == nil {
		s.observe(tool, result)
	}
	return result, err
}
