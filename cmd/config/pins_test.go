package config_test

import (
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
)

// TestPinPolicy: the user's file sets the policy; other files can only make it stricter.
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

// TestPinPolicyOfANamedFile: a named configuration file cannot switch off the user's quarantine.
func TestPinPolicyOfANamedFile(t *testing.T) {
	s := newScene(t)
	s.write(s.home, `{"mcpServers": {}, "pins": {"policy": "quarantine"}}`)
	s.options.Config = s.write(s.project, `{"mcpServers": {}, "pins": {"policy": "off"}}`)
	if got := s.load().Settings.PinPolicy(); got != toolscript.PinsQuarantine {
		t.Errorf("policy = %s", got)
	}
}

// TestWritten: Written identifies a definition in the user's own file by its text, without limits and the
// values of variables. It is empty for servers of other files.
func TestWritten(t *testing.T) {
	s := newScene(t)
	s.options.Trust = true
	written := func(args, more, value string) string {
		t.Helper()
		s.env["DIR"] = value
		s.write(s.home, `{"mcpServers": {"a": {"command": "serve", "args": [`+args+`]`+more+`}}}`)
		return s.load().Servers["a"].Written
	}
	first := written(`"${DIR}"`, "", "/one")
	for _, same := range []string{written(`"${DIR}"`, "", "/two"), written(`"${DIR}"`, `, "timeout": "5s"`, "/one")} {
		if same != first || first == "" {
			t.Errorf("%q and %q, want the same", first, same)
		}
	}
	for _, other := range []string{written(`"/one"`, "", "/one"), written(`"${DIR}"`, `, "confine": {}`, "/one")} {
		if other == first || other == "" {
			t.Errorf("%q, want another than %q", other, first)
		}
	}
	s.write(s.project, `{"mcpServers": {"a": {"command": "serve"}}}`)
	if got := s.load().Servers["a"].Written; got != "" {
		t.Errorf("a project's file: %q", got)
	}
}
