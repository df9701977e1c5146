package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
)

func TestToolsOfABuiltinServer(t *testing.T) {
	const packs = `"toolPacks": {"look": {"tools": ["readFile", "other__tool"]}, "more": {"extends": ["look"], "tools": ["listDir"]},
		"loop": {"extends": ["loop"]}, "lost": {"extends": ["nowhere"]}}`
	for _, test := range []struct {
		tools string
		want  []string
		error string
	}{
		{`"look"`, []string{"readFile"}, ""},
		{`"more"`, []string{"readFile", "listDir"}, ""},
		{`["listDir", "look"]`, []string{"listDir", "readFile"}, ""},
		{`"listDir"`, []string{"listDir"}, ""},
		{`"reedFile"`, nil, `there is no built-in tool or tool pack "reedFile"`},
		{`"loop"`, nil, `the tool pack "loop" extends itself`},
		{`"lost"`, nil, `there is no tool pack "nowhere"`},
	} {
		t.Run(test.tools, func(t *testing.T) {
			s := newScene(t)
			s.write(s.home, `{"mcpServers": {"w": {"type": "builtin", "root": "x/..", "tools": `+test.tools+`}}, `+packs+`}`)
			got := s.load().Servers["w"]
			if test.error != "" {
				if got.Problem == nil || !strings.Contains(got.Problem.Error(), test.error) || toolscript.KindOf(got.Problem) != toolscript.Invalid {
					t.Errorf("Problem = %v, want %q", got.Problem, test.error)
				}
				return
			}
			if got.Root != s.home {
				t.Errorf("Root = %q, want %q", got.Root, s.home)
			}
			if diff := cmp.Diff(test.want, got.Tools); diff != "" || got.Problem != nil {
				t.Errorf("Tools (-want +got):\n%s, Problem %v", diff, got.Problem)
			}
		})
	}
}

// TestAProjectsPacks: a pack in a project's file does not change a server of the user,
// and a changed pack needs trust again.
func TestAProjectsPacks(t *testing.T) {
	s := newScene(t)
	s.write(s.home, `{"mcpServers": {"mine": {"type": "builtin", "root": ".", "tools": "look"}}, "toolPacks": {"look": {"tools": ["readFile"]}}}`)
	s.write(s.project, `{"mcpServers": {"w": {"type": "builtin", "root": ".", "tools": "look"}}, "toolPacks": {"look": {"tools": ["listDir"]}}}`)
	s.trust()
	c := s.load()
	if diff := cmp.Diff([]string{"readFile"}, c.Servers["mine"].Tools); diff != "" {
		t.Errorf("tools of the user's server (-want +got):\n%s", diff)
	}
	if got := c.Servers["w"]; got.Problem != nil || got.Root != filepath.Clean(s.project) || cmp.Diff([]string{"listDir"}, got.Tools) != "" {
		t.Errorf("the project's server: root %q, tools %q, problem %v", got.Root, got.Tools, got.Problem)
	}
	s.write(s.project, `{"mcpServers": {"w": {"type": "builtin", "root": ".", "tools": "look"}}, "toolPacks": {"look": {"tools": ["listDir", "readFile"]}}}`)
	if got := s.load().Servers["w"]; toolscript.KindOf(got.Problem) != toolscript.Forbidden {
		t.Errorf("after a change of the pack: %v, want forbidden", got.Problem)
	}
}

// TestPacksOfAVariableType: a changed pack needs new trust also if the type of its server is the default of a variable.
func TestPacksOfAVariableType(t *testing.T) {
	s := newScene(t)
	const server = `"mcpServers": {"w": {"type": "${KIND:-builtin}", "root": ".", "tools": "look"}}`
	s.write(s.project, `{`+server+`, "toolPacks": {"look": {"tools": ["listDir"]}}}`)
	s.trust()
	if got := s.load().Servers["w"]; got.Problem != nil || cmp.Diff([]string{"listDir"}, got.Tools) != "" {
		t.Fatalf("tools %q, problem %v", got.Tools, got.Problem)
	}
	s.write(s.project, `{`+server+`, "toolPacks": {"look": {"tools": ["exec"]}}}`)
	if got := s.load().Servers["w"]; toolscript.KindOf(got.Problem) != toolscript.Forbidden {
		t.Errorf("after a change of the pack: %q, %v, want forbidden", got.Tools, got.Problem)
	}
}

// TestSlotsOfAgents: agents cannot occupy all calls of their server, for which the calls of their scripts
// would wait.
func TestSlotsOfAgents(t *testing.T) {
	for fields, wrong := range map[string]bool{
		`"tools": "all", "concurrency": 1`:                               true,
		`"tools": "all", "concurrency": 8`:                               true,
		`"tools": "all", "concurrency": 9`:                               false,
		`"tools": "all"`:                                                 false,
		`"tools": ["readFile", "agents.launch.async"], "concurrency": 1`: false,
		`"tools": "file-ops", "concurrency": 1`:                          false,
	} {
		s := newScene(t)
		s.write(s.home, `{"mcpServers": {"w": {"type": "builtin", "root": ".", `+fields+`}}}`)
		problem := s.load().Servers["w"].Problem
		if !wrong && problem != nil || wrong && (problem == nil || !strings.Contains(problem.Error(), "is not enough with agents.launch.sync")) {
			t.Errorf("%s: %v", fields, problem)
		}
	}
}

// TestKeysOfOthersHaveNoEffect checks that a key in unusual case, which is unknown, and a key of another type of
// servers have no effect.
func TestKeysOfOthersHaveNoEffect(t *testing.T) {
	s := newScene(t)
	s.write(s.home, `{"mcpServers": {
		"w": {"type": "builtin", "root": ".", "tools": "exec", "EXEC": {"network": true}, "exec": {"Network": true, "writable": []}},
		"api": {"type": "graphql", "url": "https://api.example/graphql", "auth": {"type": "bearer", "token": "a", "Token": "b"}},
		"run": {"type": "command", "commands": {"hi": {"run": ["echo"], "Run": ["rm"]}}},
		"p": {"command": "true", "root": "other", "cwd": "here", "confine": "readonly"}
	}}`)
	c := s.load()
	if got := c.Servers["w"]; got.Problem != nil || got.Settings.Exec.Network {
		t.Errorf("settings %+v, problem %v; want no network", got.Settings, got.Problem)
	}
	if got := string(c.Servers["api"].API); strings.Contains(got, `"b"`) {
		t.Errorf("API = %s", got)
	}
	if got := string(c.Servers["run"].Commands); strings.Contains(got, "rm") {
		t.Errorf("Commands = %s", got)
	}
	p := c.Servers["p"]
	if want := []string{filepath.Join(s.home, "here")}; p.Root != "" || p.Confine == nil || cmp.Diff(want, p.Confine.Read) != "" {
		t.Errorf("root %q, confine %+v; want to read only %q", p.Root, p.Confine, want)
	}
	warned := strings.Join(c.Warnings, "\n")
	for _, field := range []string{"w.EXEC", "w.exec.Network", "api.auth.Token", "run.commands.hi.Run", "p.root"} {
		if !strings.Contains(warned, "mcpServers."+field) {
			t.Errorf("no warning about %s in:\n%s", field, warned)
		}
	}
}
