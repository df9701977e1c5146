package actors

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/execution"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/registry"
	"github.com/toolscript/toolscript/actors/server"
)

const (
	// callLimit bounds a call whose caller sets no deadline. The server's own
	// time-out, which progress restarts, ends most calls long before.
	callLimit = time.Hour

	nearNames = 3 // how many similar ids an unknown one is answered with
)

// CallTool makes one tool call and returns the server's whole result, also when
// that says isError. The error is a *toolscript.Error: Invalid for arguments
// that do not fit the tool's schema, NotFound, Unauthorized, Unavailable and
// Busy with a time to try again, Timeout, ToolFailed. A call made with the
// capability of a run is under the run's rules: it can be Forbidden, LimitCalls,
// or Cancelled when the run ends.
func (s *System) CallTool(ctx context.Context, call toolscript.Call) (json.RawMessage, error) {
	if call.Run == "" {
		return s.callAny(ctx, call)
	}
	through, err := askRuns(ctx, s, func(r mailbox.Reply[execution.OutsideCall]) any {
		return execution.Door{ID: call.Run, Reply: r}
	})
	if err != nil {
		return nil, err
	}
	return through(ctx, call)
}

// callAny makes a call whatever run it belongs to.
func (s *System) callAny(ctx context.Context, call toolscript.Call) (json.RawMessage, error) {
	defer s.search.Busy()()
	view, start := s.current(), time.Now()
	result, err := s.callTool(ctx, view, call)
	s.logCall(view, call, time.Since(start), err)
	return result, err
}

func (s *System) callTool(ctx context.Context, view registry.View, call toolscript.Call) (result json.RawMessage, err error) {
	defer s.recovered(&err)
	if s.closing.Err() != nil {
		return nil, mailbox.ErrStopped
	}
	tool, ok := view.Catalog.Lookup(call.ID)
	if !ok {
		return nil, s.missing(view, call.ID, nil)
	}
	args, err := s.fit(tool, call.Args)
	if err != nil {
		return nil, err
	}
	at, ok := s.directory.find(serverID(tool.Server))
	if !ok {
		ended := *mailbox.ErrEnded
		ended.Server, ended.Tool = tool.Server, tool.Name
		return nil, &ended
	}
	ctx, cancel := bounded(ctx, callLimit)
	defer cancel()
	result, err = mailbox.Ask(ctx, at, func(r mailbox.Reply[json.RawMessage]) any {
		return server.Call{Ctx: ctx, Run: call.Run, Tool: tool.Name, Args: args, Ask: call.Ask, Reply: r}
	})
	if err == nil {
		s.observe(tool, result)
	}
	return result, err
}

// observe remembers what the result of a tool looks like that promises nothing.
func (s *System) observe(tool toolscript.Tool, result json.RawMessage) {
	if !s.observes() || !s.observed.Wants(tool.ID()) {
		return
	}
	if value, ok := execution.Untyped(tool, result); ok {
		s.observed.See(tool.ID(), value)
	}
}

// fit returns the arguments to send, or says where they do not fit the tool's
// schema. A schema that cannot be applied refuses nothing: the server knows
// better.
func (s *System) fit(tool toolscript.Tool, args json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	invalid := &toolscript.Error{Kind: toolscript.Invalid, Server: tool.Server, Tool: tool.Name}
	details, err := s.arguments.Check(tool.InputSchema, args)
	if err != nil {
		invalid.Err = err
		return nil, invalid
	}
	if len(details) > 0 {
		invalid.Details = details
		invalid.Err = fmt.Errorf("the arguments do not fit the schema of %s: %s", tool.ID(), summary(details))
		return nil, invalid
	}
	return args, nil
}

// summary is the violations in one line.
func summary(details []toolscript.Detail) string {
	var parts []string
	for _, d := range details {
		if d.Path == "" {
			parts = append(parts, d.Message)
		} else {
			parts = append(parts, d.Path+": "+d.Message)
		}
	}
	return strings.Join(parts, "; ")
}

// missing says why an id is not in the catalog: a server that it may belong to
// is not ready, or there is no such tool. If the server is on demand, it begins
// to connect. Only tools that allow selects are named.
func (s *System) missing(view registry.View, id string, allow toolscript.Filter) error {
	if owner, tool, ok := absent(view, id); ok {
		s.want(owner.Name)
		return server.Refusal(owner.ServerStatus, tool)
	}
	var ids []string
	for id, t := range view.Catalog.All() {
		if allow.Match(t) {
			ids = append(ids, id)
		}
	}
	text := fmt.Sprintf("there is no tool %q", id)
	owner := serverOf(view, id)
	switch near := toolscript.Nearest(id, ids, nearNames); {
	case len(near) > 0:
		text += "; did you mean " + strings.Join(near, ", ") + "?"
	case owner != "":
		text += "; see: toolscript list-tools " + owner
	default:
		text += "; see: toolscript list-servers"
	}
	return &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New(text)}
}

// serverOf is the server that an id names, or nothing.
func serverOf(view registry.View, id string) (name string) {
	for _, candidate := range view.Servers {
		if strings.HasPrefix(id, candidate.Name+toolscript.Separator) && len(candidate.Name) > len(name) {
			name = candidate.Name
		}
	}
	return name
}

// absent finds the server without tools at present that an id belongs to: the
// one with the longest name, since names may hold the separator.
func absent(view registry.View, id string) (owner registry.Server, tool string, ok bool) {
	for _, candidate := range view.Servers {
		rest, has := strings.CutPrefix(id, candidate.Name+toolscript.Separator)
		if has && candidate.State != toolscript.Ready && len(candidate.Name) >= len(owner.Name) {
			owner, tool, ok = candidate, rest, true
		}
	}
	return owner, tool, ok
}

// recovered, deferred, turns a panic on the caller's goroutine into its error.
func (s *System) recovered(err *error) {
	if r := recover(); r != nil {
		*err = mailbox.Panicked(r, debug.Stack())
		mailbox.LogFailure(s.options.Logger, slog.LevelError, "request failed", *err)
	}
}

// bounded gives a context that has no deadline one.
func bounded(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}
