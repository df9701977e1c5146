package actors

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
)

// request returns the message for a call whose arguments have been validated.
func request(call *toolscript.Call, tool *toolscript.Tool, args json.RawMessage) server.Call {
	return server.Call{
		Wait: call.Wait, Run: call.Run, ID: cmp.Or(call.CallID, call.RequestID), Key: call.Key, Trace: call.Trace, Tool: tool.Name, Own: ownName(*tool),
		Checked: tool, Args: args, Left: call.Left, Ask: call.Ask, Watch: call.Progress, Origin: call.Origin,
	}
}

// send makes a call without blocking: on the connection of the server if it has a free slot, else through the actor
// of the server, where the call waits. done receives the result once, and does not block. stop ends the call. The
// end of m.Ctx ends it only while it waits.
func (s *System) send(name string, m server.Call, done func(json.RawMessage, error)) (stop func(cause error)) {
	over := func(result json.RawMessage, err error) { done(result, s.stopped(err)) }
	if m.Fetch == nil {
		if stop, sent := s.port(name).Start(&m, over); sent {
			return stop
		}
	}
	ctx, cancel := context.WithCancelCause(m.Ctx)
	m.Ctx = ctx
	mailbox.Go(func() {
		defer cancel(nil)
		over(s.queue(name, m))
	}, func(err error) { over(nil, err) })
	return cancel
}

// queue makes a call through the actor of a server, and waits for the reply of the actor.
func (s *System) queue(name string, m server.Call) (json.RawMessage, error) {
	at, ok := s.directory.Find(serverID(name))
	if !ok {
		ended := *mailbox.ErrEnded
		ended.Server, ended.Tool, ended.Sent = name, m.Tool, toolscript.SentNo
		return nil, &ended
	}
	ctx, cancel := bounded(m.Ctx, server.MaxCall)
	defer cancel()
	m.Ctx = ctx
	waiting, stopWaiting := s.lingering(ctx, name)
	defer stopWaiting()
	return mailbox.Ask(waiting, at, func(r mailbox.Reply[json.RawMessage]) any {
		m.Reply = r.Send
		return m
	})
}

// sendAndWait makes a call and waits for its result.
func (s *System) sendAndWait(ctx context.Context, name string, m server.Call) (json.RawMessage, error) {
	reply := make(mailbox.Reply[json.RawMessage], 1)
	m.Ctx = ctx
	stop := s.send(name, m, reply.Send)
	defer context.AfterFunc(ctx, func() { stop(toolscript.ContextError(ctx)) })()
	return reply.Receive(context.Background(), mailbox.Address{}) // the call ends by itself
}

// stopped returns the error of a call for its caller: ErrStopped during the end of the gateway.
func (s *System) stopped(err error) error {
	if err == nil || s.closing.Err() == nil {
		return err
	}
	return toolscript.WithSent(mailbox.ErrStopped, toolscript.SentOf(err))
}
