package logfile

import (
	"context"
	"log/slog"
)

// Levels are the lowest levels of a log: one for all lines, and others for lines of single
// sources, by their names; see Sources.
type Levels struct {
	Default slog.Level
	Sources map[string]slog.Level
}

// Lowest returns the level below which no line is written.
func (l Levels) Lowest() slog.Level {
	lowest := l.Default
	for _, level := range l.Sources {
		lowest = min(lowest, level)
	}
	return lowest
}

// Over returns a handler that drops lines below their level. h handles all lines from Lowest on.
func (l Levels) Over(h slog.Handler) slog.Handler {
	if len(l.Sources) == 0 {
		return h
	}
	return filtered{h, l}
}

type filtered struct {
	slog.Handler
	levels Levels
}

// Handle implements slog.Handler.
func (f filtered) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < f.levels.of(sourceOf(r.PC)) {
		return nil
	}
	return f.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (f filtered) WithAttrs(attrs []slog.Attr) slog.Handler {
	return filtered{f.Handler.WithAttrs(attrs), f.levels}
}

// WithGroup implements slog.Handler.
func (f filtered) WithGroup(name string) slog.Handler {
	return filtered{f.Handler.WithGroup(name), f.levels}
}

func (l Levels) of(source string) slog.Level {
	if level, ok := l.Sources[source]; ok {
		return level
	}
	return l.Default
}
