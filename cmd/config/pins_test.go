package config_test

import (
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
)

// TestPinPolicy: the user's file chooses; other files can only make the policy stricter.
func TestPinPolicy(t *testing.T) {
	for _, test := range []struct {
		user, project string
		want          toolscript.PinPolicy
		warns         bool
	}{
		{"", "", toolscript.PinsWarn, false},
		{"off", "", toolscript.PinsOff, false},
		{"", "off", toolscript.PinsWarn, true},
		{"quarantine", "off", toolscript.PinsQuarantine, true},
		{"quarantine", "warn", toolscript.PinsQuarantine, false},
		{"off", "warn", toolscript.PinsOff, false},
		{"off", "quarantine", toolscript.PinsQuarantine, false},
	} {
		s := newScene(t)
		for folder, policy := range map[string]string{s.home: test.user, s.project: test.project} {
			if policy != "" {
				s.write(folder, `{"mcpServers": {}, "pins": {"policy": "`+policy+`"}}`)
			}
		}
		s.options.Trust = true
		c := s.load()
		if got := c.Settings.PinPolicy(); got != test.want {
			t.Errorf("user %q, project %q: %s, want %s", test.user, test.project, got, test.want)
		}
		if got := strings.Contains(strings.Join(c.Warnings, " "), `"off" has an effect in ~/.toolscript.json alone`); got != test.warns {
			t.Errorf("user %q, project %q: warnings %q", test.user, test.project, c.Warnings)
		}
	}
}

// TestPinPolicyOfANamedFile: another configuration cannot switch the user's quarantine
// off.
func TestPinPolicyOfANamedFile(t *testing.T) {
	s := newScene(t)
	s.write(s.home, `{"mcpServers": {}, "pins": {"policy": "quarantine"}}`)
	s.options.Config = s.write(s.project, `{"mcpServers": {}, "pins": {"policy": "off"}}`)
	if got := s.load().Settings.PinPolicy(); got != toolscript.PinsQuarantine {
		t.Errorf("policy = %s", got)
	}
}
