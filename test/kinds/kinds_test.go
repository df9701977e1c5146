// Package kinds tests that a new kind of server needs a folder and an entry of the list of kinds.
package kinds_test

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/test/kinds/dice"
	"github.com/toolscript/toolscript/transport/upstream"
)

// This is the entry of the list.
func init() { upstream.Register(dice.Kind) }

// TestNewKind configures a server of a new kind, and calls its tool through a gateway.
func TestNewKind(t *testing.T) {
	h, home := at(t, `{"mcpServers": {"d": {"type": "die", "sides": 6, "names": "names.txt"}}}`)
	loaded := load(t, h)
	if notices := loaded.Notices(); len(notices) > 0 {
		t.Errorf("notices %q", notices)
	}
	d, err := h.Start(loaded, daemon.Options{Logger: slog.New(slog.DiscardHandler), Search: func(s *config.Search) { s.Lexical = true }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Stop(); err != nil {
			t.Error(err)
		}
	}()
	got, err := d.CallTool(t.Context(), toolscript.Call{ID: "d__roll", Args: json.RawMessage(`{}`), Wait: time.Minute})
	if want := "one of 6, " + filepath.ToSlash(filepath.Join(home, "names.txt")); err != nil || !strings.Contains(filepath.ToSlash(string(got)), want) {
		t.Errorf("%s %v, want %q", got, err, want)
	}
}

// TestConfigurationOfNewKind checks that the configuration knows the keys of a new kind.
func TestConfigurationOfNewKind(t *testing.T) {
	for _, tt := range []struct{ name, server, want string }{
		{"a missing key", `"type": "dice"`, "mcpServers.d.sides: required"},
		{"a wrong value", `"type": "dice", "sides": 1`, "mcpServers.d.sides: must be at least 2"},
		{"a key of another kind", `"type": "dice", "sides": 2, "url": "https://example.com"`, "mcpServers.d.url: has no effect on a server of type dice"},
		{"a key of this kind", `"command": "x", "sides": 2`, "mcpServers.d.sides: has no effect on a server of type stdio"},
		{"a server of the fleet", `"fleet": true, "sides": 2`, "mcpServers.d.sides: is not allowed together with fleet"},
		{"an unknown type", `"type": "cards"`, `"sse", "builtin", "command", "openapi", "graphql", "dice", "die"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, _ := at(t, `{"mcpServers": {"d": {`+tt.server+`}}}`)
			if got := strings.Join(load(t, h).Notices(), "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("%s, want %q", got, tt.want)
			}
		})
	}
	if schema := string(config.Schema()); !json.Valid([]byte(schema)) || !strings.Contains(schema, "graphql is a GraphQL endpoint; dice rolls a die.") {
		t.Errorf("the schema is %s", schema)
	}
}

// at returns the user's environment with a configuration in the home folder.
func at(t *testing.T, text string) (h *daemon.Host, home string) {
	t.Helper()
	home = t.TempDir()
	if err := os.WriteFile(filepath.Join(home, config.FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return &daemon.Host{Warn: t.Logf, Config: config.Options{WorkDir: home, LookupEnv: func(name string) (string, bool) {
		if name == "HOME" || name == "USERPROFILE" {
			return home, true
		}
		return "", false
	}}}, home
}

func load(t *testing.T, h *daemon.Host) *config.Config {
	t.Helper()
	loaded, err := h.Load(false)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}
