package logfile

import (
	"context"
	"log/slog"
	"runtime"
	"strings"
)

// Levels are the lowest levels of a log: one for all lines, and others for lines of single
// packages, by their path in this module. A path includes the packages below it; the
// longest path applies.
type Levels struct {
	Default  slog.Level
	Packages map[string]slog.Level
}

// Lowest returns the level below which no line is written.
func (l Levels) Lowest() slog.Level {
	lowest := l.Default
	for _, level := range l.Packages {
		lowest = min(lowest, level)
	}
	return lowest
}

// Over returns a handler that drops lines below their level. h handles all lines from Lowest on.
func (l Levels) Over(h slog.Handler) slog.Handler {
	if len(l.Packages) == 0 {
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
	if r.Level < f.levels.of(packageOf(r.PC)) {
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

func (l Levels) of(folder string) slog.Level {
	for folder != "" {
		if level, ok := l.Packages[folder]; ok {
			return level
		}
		folder = folder[:max(0, strings.LastIndexByte(folder, '/'))]
	}
	return l.Default
}

const module = "github.com/toolscript/toolscript/"

// packageOf returns the path in this module of the package that has logged a line, or "" if
// it is unknown.
func packageOf(pc uintptr) string {
	if pc == 0 {
		return ""
	}
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	path, ours := strings.CutPrefix(frame.Function, module)
	if !ours {
		return ""
	}
	slash := strings.LastIndexByte(path, '/') + 1
	name, _, _ := strings.Cut(path[slash:], ".")
	return path[:slash] + name
}
