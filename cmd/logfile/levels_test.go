package logfile_test

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/logfile"
)

func TestLevelsOfSources(t *testing.T) {
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
	// These lines are of the source command, to which cmd/logfile_test belongs.
	for want, levels := range map[string]logfile.Levels{
		"two three":     {Default: slog.LevelInfo},
		"one two three": {Default: slog.LevelWarn, Sources: map[string]slog.Level{"command": slog.LevelDebug}},
		"three":         {Default: slog.LevelInfo, Sources: map[string]slog.Level{"command": slog.LevelWarn, "runs": slog.LevelDebug}},
		"":              {Default: slog.LevelError, Sources: map[string]slog.Level{"gateway": slog.LevelDebug}},
	} {
		if got := write(levels); got != want {
			t.Errorf("with %v the lines are %q, want %q", levels, got, want)
		}
	}
}

// TestSources checks that each folder of the table exists, and that the folders of this module whose
// packages may log have a source.
func TestSources(t *testing.T) {
	for _, folder := range logfile.Folders() {
		if info, err := os.Stat(filepath.Join("..", "..", folder)); err != nil || !info.IsDir() {
			t.Errorf("there is no folder %s", folder)
		}
	}
	for _, top := range []string{"actors", "cmd", "codegen", "harness", "internal", "runner", "transport"} {
		if !slices.Contains(logfile.Folders(), top) {
			t.Errorf("%s has no source", top)
		}
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "operating.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range logfile.Sources() {
		if !strings.Contains(string(page), "`"+source+"`") {
			t.Errorf("docs/operating.md does not name the source %s", source)
		}
	}
}
