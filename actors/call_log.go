package actors

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/registry"
)

// logCall writes the one line of a tool call, with the names that the gateway's
// request log has: never arguments, results, or the text of an error, which may
// quote them. A call that came as an HTTP request of its own has a line there
// already, so it has this one for debugging only.
func (s *System) logCall(view registry.View, call toolscript.Call, took time.Duration, err error) {
	level := slog.LevelInfo
	if call.RequestID != "" {
		level = slog.LevelDebug
	}
	attrs := []slog.Attr{
		slog.Duration("duration", took.Round(time.Microsecond)),
		slog.String("outcome", cmp.Or(string(toolscript.KindOf(err)), "ok")),
	}
	for _, a := range []slog.Attr{
		slog.String("tool", loggable(view, call.ID)), slog.String("run", call.Run), slog.String("request", call.RequestID),
	} {
		if a.Value.String() != "" {
			attrs = append(attrs, a)
		}
	}
	s.options.Logger.LogAttrs(context.Background(), level, "tool call", attrs...)
}

// loggable is a tool id that belongs to a server, or one of the program's own. Any other may be anything,
// such as the capability of the gateway in the wrong place.
func loggable(view registry.View, id string) string {
	if _, ok := view.Catalog.Lookup(id); ok || slices.Contains(toolscript.OfferedIDs(), id) {
		return id
	}
	if _, _, ok := absent(view, id); ok {
		return id
	}
	return ""
}
