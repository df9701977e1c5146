package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript/transport/upstream"
)

// TestDefaultIdle checks which servers get the default idle time, and that a server that keeps the
// state of a session causes a warning.
func TestDefaultIdle(t *testing.T) {
	s := newScene(t)
	s.write(s.home, `{"defaults": {"idle": "1h"}, "mcpServers": {
		"plain": {"command": "a"}, "own": {"command": "a", "idle": "5m"}, "never": {"command": "a", "idle": false},
		"remote": {"url": "https://a.example.com"}, "off": {"command": "a", "disabled": true},
		"page": {"command": "npx", "args": ["-y", "@playwright/mcp@latest"]},
		"asked": {"command": "npx", "args": ["-y", "@playwright/mcp@latest"], "idle": "2h"}
	}}`)
	got := s.load()
	for name, want := range map[string]time.Duration{
		"plain": time.Hour, "own": 5 * time.Minute, "never": 0, "remote": 0, "off": time.Hour, "page": time.Hour, "asked": 2 * time.Hour,
	} {
		if c := got.Servers[name]; c.Idle != want || c.Rests() != (want > 0) {
			t.Errorf("%s: idle %s, rests %t; want %s", name, c.Idle, c.Rests(), want)
		}
	}
	if warnings := strings.Join(got.Warnings, "\n"); strings.Count(warnings, "keeps the state") != 1 || !strings.Contains(warnings, "server page: @playwright/mcp keeps") {
		t.Errorf("warnings %q", got.Warnings)
	}
}

// TestDefaultIdleOfALaterFile checks that a trusted project's file can change the default
// for all servers, and that an untrusted project's file cannot.
func TestDefaultIdleOfALaterFile(t *testing.T) {
	s := newScene(t)
	s.write(s.home, `{"defaults": {"idle": "1h"}, "mcpServers": {"a": {"command": "a"}, "shared": {"command": "a", "shared": true}}}`)
	s.write(s.project, `{"defaults": {"idle": false}, "mcpServers": {"b": {"command": "b"}}}`)
	if got := s.load().Servers["a"]; got.Idle != time.Hour {
		t.Errorf("with a project that is not trusted: idle %s", got.Idle)
	}
	s.trust()
	got := s.load().Servers
	if got["a"].Idle != 0 || got["b"].Idle != 0 {
		t.Errorf("with a trusted project: idle %s and %s", got["a"].Idle, got["b"].Idle)
	}
	s.write(s.project, `{"mcpServers": {"b": {"command": "b"}}}`)
	if c := s.load().Servers["shared"]; c.Idle != time.Hour || c.Rests() || c.Shared != upstream.SharedHost {
		t.Errorf("a shared server: idle %s; its gateway ends it: %t", c.Idle, c.Rests())
	}
}

func TestIdleIsFalseOrATime(t *testing.T) {
	for _, text := range []string{"true", `"soon"`, "0", `"25h"`, `""`} {
		wantText(t, onlyMistake(t, `{"mcpServers": {"a": {"command": "a", "idle": `+text+`}}}`).Field, "mcpServers.a.idle")
	}
}

// TestStartupTimeout checks which servers get the default, and that a server's own value takes precedence.
func TestStartupTimeout(t *testing.T) {
	s := newScene(t)
	s.write(s.home, `{"defaults": {"startupTimeout": "90s"}, "mcpServers": {
		"plain": {"command": "a"}, "own": {"command": "a", "startupTimeout": 5000}, "web": {"url": "https://example.com"}
	}}`)
	got := s.load()
	for name, want := range map[string]time.Duration{"plain": 90 * time.Second, "own": 5 * time.Second, "web": 90 * time.Second} {
		if c := got.Servers[name]; c.StartupTimeout != want {
			t.Errorf("%s: startupTimeout %s, want %s", name, c.StartupTimeout, want)
		}
	}
	s.write(s.home, `{"mcpServers": {"a": {"command": "a", "startupTimeout": "soon"}}}`)
	if err := s.load().Servers["a"].Problem; err == nil || !strings.Contains(err.Error(), "mcpServers.a.startupTimeout") {
		t.Errorf("a wrong startupTimeout: %v", err)
	}
}
