package cli

import "log/slog"

var levels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}

// logger writes to stderr, at the level asked for or else the command's own.
func (a *app) logger(level slog.Level) *slog.Logger {
	if asked, ok := levels[a.logLevel.value]; ok {
		level = asked
	}
	options := &slog.HandlerOptions{Level: level}
	if a.logFormat.value == "json" {
		return slog.New(slog.NewJSONHandler(a.Stderr, options))
	}
	return slog.New(slog.NewTextHandler(a.Stderr, options))
}
