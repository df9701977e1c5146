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
	defer s.begun(&call)()
	view, start, span := s.current(), time.Now(), s.traceCall(&call)
	result, err := s.callChecked(ctx, &call)
	err = settled(view, call, err)
	span.over(s.ended(view, call, time.Since(start), result, err))
	return result, err
}

func (s *System) callTool(ctx context.Context, call *toolscript.Call) (result json.RawMessage, err error) {
	sent := toolscript.SentNo
	defer func() { err = toolscript.WithSent(err, sent) }()
	defer rescue.Catch(s.panicked(&err))
	if s.closing.Err() != nil {
		return nil, mailbox.ErrStopped
	}
	tool, err := s.resolve(ctx, call.ID, allowed(ctx), call.Wait)
	if err != nil {
		return nil, err
	}
	ctx, cancel := bounded(ctx, server.MaxCall)
	defer cancel()
	args, err := s.fit(ctx, tool, call.Args)
	if err != nil && s.Reread(ctx, tool.Server) { // the schema may have changed
		if tool, err = s.resolve(ctx, call.ID, allowed(ctx), call.Wait); err != nil {
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
	at, ok := s.directory.find(serverID(tool.Server))
	if !ok {
		ended := *mailbox.ErrEnded
		ended.Server, ended.Tool = tool.Server, tool.Name
		return nil, &ended
	}
	send := func(ctx context.Context) (json.RawMessage, error) {
		waiting, stopWaiting := s.lingering(ctx, tool.Server)
		defer stopWaiting()
		return mailbox.Ask(waiting, at, func(r mailbox.Reply[json.RawMessage]) any {
			return server.Call{Ctx: ctx, Wait: call.Wait, Run: call.Run, ID: cmp.Or(call.CallID, call.RequestID), Key: call.Key, Trace: call.Trace, Tool: tool.Name, Own: ownName(tool), Checked: new(tool.Own()), Args: args, Before: before(call.Left), Ask: call.Ask, Watch: call.Progress, Origin: call.Origin, Reply: r}
		})
	}
	sent = "" // the reply says whether it was sent
	result, err = s.once(ctx, call, tool, args, send)
	if err == nil {
		s.observe(tool, result)
	}
	return result, err
}

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
	seen, begun, span := s.view.Load(), time.Now(), s.traceCall(&c.Call)
	s.begun(&c.Call)
	m := server.Call{Ctx: context.Background(), Wait: c.Wait, Run: c.Run, ID: c.CallID, Trace: c.Trace, Tool: c.Tool.Name, Own: ownName(c.Tool), Args: args, Ask: c.Ask, Held: c.Held, Watch: c.Progress, Origin: c.Origin}
	return s.port(c.Tool.Server).Start(&m, func(result json.RawMessage, err error) {
		if errors.Is(err, server.ErrNotSent) {
			done(nil, runs.ErrNotSent)
			return
		}
		s.search.Busy()
		if err == nil {
			s.observe(c.Tool, result)
		} else if s.closing.Err() != nil {
			err = toolscript.WithSent(mailbox.ErrStopped, toolscript.SentOf(err))
		}
		err = settled(seen.View, c.Call, err)
		span.over(s.ended(seen.View, c.Call, time.Since(begun), result, err))
		done(result, err)
	})
}
