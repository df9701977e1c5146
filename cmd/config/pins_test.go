package config_test

import (
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
)

// TestPinPolicy: the user's file sets the policy; other files can only make it stricter.
func TestPinPolicy(t *testing.T) {
	for _, test := range []struct {
		user, project, named string
		want                 toolscript.PinPolicy
		warns                bool
	}{
		{"", "", "", toolscript.PinsWarn, false},
		{"off", "", "", toolscript.PinsOff, false},
		{"", "off", "", toolscript.PinsWarn, true},
		{"quarantine", "off", "", toolscript.PinsQuarantine, true},
		{"quarantine", "warn", "", toolscript.PinsQuarantine, false},
		{"off", "warn", "", toolscript.PinsOff, false},
		{"off", "quarantine", "", toolscript.PinsQuarantine, false},
		{"quarantine", "", "off", toolscript.PinsQuarantine, true},
	} {
		s := newScene(t)
		text := func(policy string) string {
			if policy == "" {
				return ""
			}
			return `{"mcpServers": {}, "pins": {"policy": "` + policy + `"}}`
		}
		s.layout(text(test.user), text(test.project), text(test.named))
		s.options.Trust = true
		c := s.load()
		if got := c.Settings.PinPolicy(); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
		if got := strings.Contains(strings.Join(c.Warnings, " "), `"off" has an effect in ~/.toolscript.json alone`); got != test.warns {
			t.Errorf("%+v: warnings %q", test, c.Warnings)
		}
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
