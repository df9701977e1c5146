package actors

import (
	"context"
	"encoding/json"
	"log/slog"
	"runtime"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/runs"
)

// callLogPC is the source position of the log lines of calls; handlers with a level for each
// package read it.
var callLogPC = func() uintptr {
	var pc [1]uintptr
	runtime.Callers(1, pc[:])
	return pc[0]
}()

// maxReason bounds the reason of a failed call in the log, in characters.
const maxReason = 300

// LaterHandler is a log handler that may delay lines until Flush. It keeps their order.
type LaterHandler interface {
	slog.Handler
	HandleLater(context.Context, slog.Record)
	Flush()
}

// flushLog writes the delayed lines of calls.
func (s *System) flushLog() {
	if log, ok := s.options.Logger.Handler().(LaterHandler); ok {
		log.Flush()
	}
}

// logCall writes one line for a tool call. A LaterHandler may delay the line of a successful
// call until its run ends. The line never contains arguments or results; for a failed call
// it contains the server's message without secrets. A call that arrived as an HTTP request
// has a line in the request log, so its line here is for debugging unless it failed.
func (s *System) logCall(call toolscript.Call, id, owner, outcome string, sent toolscript.Sent, why string, took time.Duration) {
	level := slog.LevelInfo
	if call.RequestID != "" && outcome == toolscript.OutcomeOK {
		level = slog.LevelDebug
	}
	if !s.options.Logger.Enabled(context.Background(), level) {
		return
	}
	attrs := append(make([]slog.Attr, 0, 11), slog.Duration("duration", took.Round(time.Microsecond)), slog.String("outcome", outcome))
	if why = s.Redact(owner, why); outcome == toolscript.OutcomeOK {
		owner = "" // part of the id
	}
	for _, a := range []slog.Attr{
		slog.String("server", owner), slog.String("tool", id), slog.String("run", call.Run), slog.String("call", call.CallID),
		slog.String("request", call.RequestID), slog.String("trace", toolscript.TraceID(call.Trace)), slog.String("host", call.Origin.Host()), slog.String("sent", string(sent)), slog.String("error", why),
	} {
		if a.Value.String() != "" {
			attrs = append(attrs, a)
		}
	}
	record := slog.NewRecord(time.Now(), level, "tool call", callLogPC)
	record.AddAttrs(attrs...)
	log := s.options.Logger.Handler()
	if later, ok := log.(LaterHandler); ok && outcome == toolscript.OutcomeOK && call.Run != "" && s.closing.Err() == nil {
		later.HandleLater(context.Background(), record)
		return
	}
	_ = log.Handle(context.Background(), record) // slog ignores this error too
}

// sentOf returns whether the server got a call with an outcome; "" for success.
func sentOf(outcome string, err error) toolscript.Sent {
	if err == nil && outcome != toolscript.OutcomeOK {
		return toolscript.SentYes // a result with isError
	}
	return toolscript.SentOf(err)
}

// outcomeOf returns how a call ended and why it failed. Reasons that the gateway finds
// in the request itself are omitted: they may quote arguments, or a secret in the
// place of an id.
func outcomeOf(result json.RawMessage, err error) (outcome, why string) {
	switch kind := toolscript.KindOf(err); kind {
	case "":
		if text, failed := runs.FailureOf(result); failed {
			return string(toolscript.ToolFailed), text
		}
		return toolscript.OutcomeOK, ""
	case toolscript.Invalid, toolscript.NotFound:
		return string(kind), ""
	default:
		return string(kind), toolscript.TextOf(err) // the server's name is an attribute of its own
	}
}

// loggable returns the id and its server if the id belongs to a server or is a builtin,
// else "". Any other id may be a secret in the wrong place.
func loggable(view catalog.View, id string) (loggable, owner string) {
	if tool, ok := view.Catalog.Find(id); ok {
		return id, tool.Server
	}
	if toolscript.IsFetch(id) {
		return id, ""
	}
	if server, _, ok := absent(view, id); ok {
		return id, server.Name
	}
	return "", ""
}

// logged returns an Emit that writes the delayed log lines of calls before the last event of a run.
func (s *System) logged(emit runs.Emit) runs.Emit {
	return func(e toolscript.Event) error {
		if e.Type == toolscript.EventEnd {
			s.flushLog()
		}
		return emit(e)
	}
}
