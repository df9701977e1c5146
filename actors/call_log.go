package actors

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/execution"
	"github.com/toolscript/toolscript/actors/registry"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// maxReason bounds the reason of a failed call in the log, in characters.
const maxReason = 300

// LaterHandler is a handler of Options.Logger that may write a line a moment later, in
// order, until Flush.
type LaterHandler interface {
	slog.Handler
	HandleLater(context.Context, slog.Record)
	Flush()
}

// flushLog writes the lines of calls that wait.
func (s *System) flushLog() {
	if log, ok := s.options.Logger.Handler().(LaterHandler); ok {
		log.Flush()
	}
}

// logCall counts a tool call, writes one line for it, and returns its outcome. If the handler of the log can wait, the line of
// a successful call of a script is written by the end of its run. The line never contains arguments or
// results; for a failed call it contains the server's message without secrets. A
// call that arrived as an HTTP request has a line in the request log, so its line
// here is for debugging unless it failed.
func (s *System) logCall(call toolscript.Call, id, owner, outcome, why string, took time.Duration) {
	level := slog.LevelInfo
	if call.RequestID != "" && outcome == toolscript.OutcomeOK {
		level = slog.LevelDebug
	}
	if !s.options.Logger.Enabled(context.Background(), level) {
		return
	}
	attrs := []slog.Attr{slog.Duration("duration", took.Round(time.Microsecond)), slog.String("outcome", outcome)}
	if why = s.redacted(owner, why); outcome == toolscript.OutcomeOK {
		owner = "" // part of the id
	}
	for _, a := range []slog.Attr{
		slog.String("server", owner), slog.String("tool", id), slog.String("run", call.Run), slog.String("call", call.CallID),
		slog.String("request", call.RequestID), slog.String("trace", toolscript.TraceID(call.Trace)), slog.String("error", why),
	} {
		if a.Value.String() != "" {
			attrs = append(attrs, a)
		}
	}
	record := slog.NewRecord(time.Now(), level, "tool call", 0)
	record.AddAttrs(attrs...)
	log := s.options.Logger.Handler()
	if later, ok := log.(LaterHandler); ok && outcome == toolscript.OutcomeOK && call.Run != "" && s.closing.Err() == nil {
		later.HandleLater(context.Background(), record)
		return
	}
	_ = log.Handle(context.Background(), record) // slog ignores this error too
}

// outcomeOf returns how a call ended and why it failed. Reasons that the gateway finds
// in the request itself are omitted: they may quote arguments, or a secret in the
// place of an id.
func outcomeOf(result json.RawMessage, err error) (outcome, why string) {
	switch kind := toolscript.KindOf(err); kind {
	case "":
		if text, failed := execution.FailureOf(result); failed {
			return string(toolscript.ToolFailed), text
		}
		return toolscript.OutcomeOK, ""
	case toolscript.Invalid, toolscript.NotFound:
		return string(kind), ""
	default:
		var e *toolscript.Error
		if errors.As(err, &e) && e.Err != nil {
			err = e.Err // the server's name is an attribute of its own
		}
		return string(kind), err.Error()
	}
}

// redacted removes the secrets of the server's configuration from a text and bounds
// its length.
func (s *System) redacted(owner, text string) string {
	if text == "" {
		return ""
	}
	redact := mcpclient.Redact
	if of := s.redactors.Load(); of != nil && (*of)[owner] != nil {
		redact = (*of)[owner]
	}
	text = redact(text)
	if runes := []rune(text); len(runes) > maxReason {
		return string(runes[:maxReason-1]) + "…"
	}
	return text
}

// redactorsOf returns the redactors of all configured servers.
func redactorsOf(servers map[string]mcpclient.Config) *map[string]func(string) string {
	all := make(map[string]func(string) string, len(servers))
	for name, config := range servers {
		all[name] = mcpclient.Redactor(config)
	}
	return &all
}

// loggable returns an id that belongs to a server, with that server, or that is a
// builtin. Any other id is omitted: it may be a secret in the wrong place.
func loggable(view registry.View, id string) (loggable, owner string) {
	if tool, ok := view.Catalog.Lookup(id); ok {
		return id, tool.Server
	}
	if slices.Contains(toolscript.FetchIDs(), id) {
		return id, ""
	}
	if server, _, ok := absent(view, id); ok {
		return id, server.Name
	}
	return "", ""
}

// logged completes the log of a run before its last event.
func (s *System) logged(emit execution.Emit) execution.Emit {
	return func(e toolscript.Event) error {
		if e.Type == toolscript.EventEnd {
			s.flushLog()
		}
		return emit(e)
	}
}
