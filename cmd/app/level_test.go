package app_test

import (
	"log/slog"
	"maps"
	"testing"

	"github.com/toolscript/toolscript/cmd/app"
)

func TestLevel(t *testing.T) {
	for _, tt := range []struct {
		text    string
		level   slog.Level // level of the flag; error if it names only sources
		sources map[string]slog.Level
		fails   bool
	}{
		{text: "warning", level: slog.LevelWarn},
		{text: "INFO", level: slog.LevelInfo},
		{text: "info,server=debug", level: slog.LevelInfo, sources: map[string]slog.Level{"server": slog.LevelDebug}},
		{text: "runs=warning, api=error", level: slog.LevelError, sources: map[string]slog.Level{"runs": slog.LevelWarn, "api": slog.LevelError}},
		{text: "loud", fails: true},
		{text: "info,runs=loud", fails: true},
		{text: "info,actors/server=debug", fails: true},
		{text: "=info", fails: true},
	} {
		l := app.Level{Choice: app.Choice{Choices: []string{"debug", "info", "warn", "error"}}}
		err := l.Set(tt.text)
		if (err != nil) != tt.fails {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		if got := l.Or(slog.LevelError); !tt.fails && (got != tt.level || !maps.Equal(l.Sources, tt.sources) || l.String() != tt.text) {
			t.Errorf("%q is %v with %v, printed as %q", tt.text, got, l.Sources, l.String())
		}
	}
}
