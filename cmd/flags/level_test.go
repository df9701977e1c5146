package flags_test

import (
	"log/slog"
	"maps"
	"testing"

	"github.com/toolscript/toolscript/cmd/flags"
)

func TestLevel(t *testing.T) {
	for _, tt := range []struct {
		text     string
		level    slog.Level // level of the flag; error if it names only packages
		packages map[string]slog.Level
		fails    bool
	}{
		{text: "warning", level: slog.LevelWarn},
		{text: "INFO", level: slog.LevelInfo},
		{text: "info,actors/server=debug", level: slog.LevelInfo, packages: map[string]slog.Level{"actors/server": slog.LevelDebug}},
		{text: "actors/=warning, transport=error", level: slog.LevelError, packages: map[string]slog.Level{"actors": slog.LevelWarn, "transport": slog.LevelError}},
		{text: "loud", fails: true},
		{text: "info,actors=loud", fails: true},
		{text: "=info", fails: true},
	} {
		l := flags.Level{Choice: flags.Choice{Choices: []string{"debug", "info", "warn", "error"}}}
		err := l.Set(tt.text)
		if (err != nil) != tt.fails {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		if got := l.Or(slog.LevelError); !tt.fails && (got != tt.level || !maps.Equal(l.Packages, tt.packages) || l.String() != tt.text) {
			t.Errorf("%q is %v with %v, printed as %q", tt.text, got, l.Packages, l.String())
		}
	}
}
