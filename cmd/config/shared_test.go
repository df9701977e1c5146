package config_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestSharedIsComplete: the definition of a shared server contains everything that it would
// otherwise take from the gateway that starts it.
func TestSharedIsComplete(t *testing.T) {
	s := newScene(t)
	s.env["API_TOKEN"], s.env["OTHER"] = "secret", "other"
	s.write(s.home, `{"mcpServers": {
		"a": {"command": "a", "shared": true, "inheritEnv": ["API_TOKEN", "UNSET"], "env": {"B": "b"}},
		"b": {"command": "b", "shared": "per-project"},
		"c": {"command": "c", "shared": false},
		"d": {"command": "d", "shared": true, "cwd": "there", "inheritEnv": ["OTHER"], "env": {"OTHER": "own"}}
	}}`)
	got := s.load().Servers
	for _, tt := range []struct {
		name, dir, shared string
		env               map[string]string
	}{
		{"a", s.home, upstream.SharedHost, map[string]string{"API_TOKEN": "secret", "B": "b"}},
		{"b", s.project, upstream.SharedProject, nil},
		{"c", "", "", nil},
		{"d", filepath.Join(s.home, "there"), upstream.SharedHost, map[string]string{"OTHER": "own"}},
	} {
		c := got[tt.name]
		if c.Shared != tt.shared || c.Dir != tt.dir || c.Problem != nil {
			t.Errorf("%s: shared %q in %q, problem %v; want %q in %q", tt.name, c.Shared, c.Dir, c.Problem, tt.shared, tt.dir)
		}
		if diff := cmp.Diff(tt.env, c.Env); diff != "" || c.InheritNames != nil {
			t.Errorf("%s: inherits %q; variables (-want +got):\n%s", tt.name, c.InheritNames, diff)
		}
	}
}

// TestSharedPerProject: a server shared per project starts in the folder of the project's file, in
// whichever folder below it the gateway starts.
func TestSharedPerProject(t *testing.T) {
	s := newScene(t)
	s.write(s.home, `{"mcpServers": {"a": {"command": "a", "shared": "per-project"}}}`)
	s.write(s.project, `{"mcpServers": {}}`)
	o := s.options
	o.WorkDir = filepath.Join(s.project, "sub")
	loaded, err := config.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	if c := loaded.Servers["a"]; c.Dir != s.project {
		t.Errorf("the server runs in %q, want %q", c.Dir, s.project)
	}
	if folder, err := config.ProjectFolder(o); err != nil || folder != s.project {
		t.Errorf("ProjectFolder = %q, %v; want %q", folder, err, s.project)
	}
}

func TestSharedMistakes(t *testing.T) {
	for _, tt := range []struct{ name, server, warning, invalid string }{
		{"all variables", `{"command": "a", "shared": true, "inheritEnv": true}`, "", "shared: a shared server cannot inherit all variables"},
		{"own variables", `{"command": "a", "inheritEnv": true}`, "", ""},
		{"built-in tools", `{"type": "builtin", "root": ".", "shared": true}`, "shared: has no effect on a server of type builtin", ""},
		{"a browser", `{"command": "npx", "args": ["-y", "@playwright/mcp@latest"], "shared": true}`, "@playwright/mcp keeps the state of a session", ""},
		{"a browser of its own", `{"command": "npx", "args": ["-y", "@playwright/mcp@latest"]}`, "", ""},
		{"a number", `{"command": "a", "shared": 1}`, "", `shared: must be one of true, false, "per-project"`},
		{"a spelling", `{"command": "a", "shared": "per_project"}`, "", `did you mean "per-project"?`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			loaded, all := mistakes(t, `{"mcpServers": {"a": `+tt.server+`}}`)
			if (len(all) > 0) != (tt.invalid != "") || !strings.Contains(all.Error(), tt.invalid) {
				t.Errorf("mistakes = %v, want %q", all, tt.invalid)
			}
			warnings := strings.Join(loaded.Warnings, "\n")
			if (warnings == "") != (tt.warning == "") || !strings.Contains(warnings, tt.warning) {
				t.Errorf("warnings = %q, want %q", warnings, tt.warning)
			}
			problem := loaded.Servers["a"].Problem
			if (problem == nil) != (tt.invalid == "") || problem != nil && !strings.Contains(problem.Error(), tt.invalid) {
				t.Errorf("problem = %v, want %q", problem, tt.invalid)
			}
		})
	}
}

func TestLoadHub(t *testing.T) {
	s := newScene(t)
	text := `{"mcpServers": {}, "hub": {"idle": "${IDLE:-90s}", "port": 4222}}`
	s.write(s.project, text)
	if got, err := config.LoadHub(s.options); err != nil || got != (config.Hub{}) {
		t.Errorf("LoadHub of a project's file = %+v, %v; want nothing", got, err)
	}
	if warnings := strings.Join(s.load().Warnings, "\n"); !strings.Contains(warnings, "hub: has an effect in ~/.toolscript.json alone") {
		t.Errorf("warnings = %q", warnings)
	}
	s.write(s.home, text)
	want := config.Hub{Idle: 90 * time.Second, Port: 4222}
	if got, err := config.LoadHub(s.options); err != nil || got != want {
		t.Errorf("LoadHub = %+v, %v; want %+v", got, err, want)
	}
}
