package logfile_test

import (
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/logfile"
)

func TestLevelsOfPackages(t *testing.T) {
	write := func(l logfile.Levels) string {
		var text strings.Builder
		options := &slog.HandlerOptions{Level: l.Lowest()}
		logger := slog.New(logfile.NewHandler(&text, func(to io.Writer) slog.Handler { return l.Over(slog.NewTextHandler(to, options)) }))
		logger = logger.With(slog.String("a", "b"))
		logger.Debug("one")
		logger.Info("two")
		logger.Warn("three")
		var got []string
		for line := range strings.Lines(text.String()) {
			_, message, _ := strings.Cut(line, "msg=")
			got = append(got, strings.Fields(message)[0])
		}
		return strings.Join(got, " ")
	}
	// The package cmd/logfile_test writes these lines.
	for want, levels := range map[string]logfile.Levels{
		"two three":     {Default: slog.LevelInfo},
		"one two three": {Default: slog.LevelWarn, Packages: map[string]slog.Level{"cmd": slog.LevelDebug}},
		"three":         {Default: slog.LevelInfo, Packages: map[string]slog.Level{"cmd": slog.LevelDebug, "cmd/logfile_test": slog.LevelWarn}},
		"":              {Default: slog.LevelError, Packages: map[string]slog.Level{"actors": slog.LevelDebug, "cmd/log": slog.LevelDebug}},
	} {
		if got := write(levels); got != want {
			t.Errorf("with %v the lines are %q, want %q", levels, got, want)
		}
	}
}
