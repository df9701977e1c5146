package cli_test

import (
	"strings"
	"testing"
)

func TestDoctorOnThePlugin(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"on", empty, "plugin      not installed; it allows safe commands"},
		{"off", `{"mcpServers": {}, "plugin": {"autoAllow": false}}`, "plugin      not installed; it asks for each command (plugin.autoAllow"},
		{"broken", "{", "plugin      not installed; it asks for each command, because"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"home/.toolscript.json": tt.file})
			if r := w.run(t, "doctor"); !strings.Contains(r.stdout, tt.want) || !strings.Contains(r.stdout, `"Bash(toolscript exec *)"`) {
				t.Errorf("doctor = %+v, want %q", r, tt.want)
			}
		})
	}
}

const empty = `{"mcpServers": {}}`
