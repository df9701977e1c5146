package config_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/toolscript/toolscript/internal/files"
)

// TestProjectOfServers: paths in a project's file are resolved below its folder; paths that lead out of
// the folder are targets that the user has seen.
func TestProjectOfServers(t *testing.T) {
	s := newScene(t)
	s.options.Trust = true
	s.layout(`{"mcpServers": {"users": {"type": "builtin", "root": "docs"}}}`, `{"mcpServers": {
		"root": {"type": "builtin", "root": "docs"},
		"written": {"type": "builtin", "root": "docs", "tools": ["exec"], "exec": {"writable": ["out", "/srv/out", "~/cache"]}},
		"absolute": {"type": "builtin", "root": "`+s.project+`/docs"},
		"around": {"type": "builtin", "root": "../project/docs"},
		"outside": {"type": "builtin", "root": "../other"},
		"cwd": {"command": "x", "cwd": "sub"},
		"here": {"command": "x"},
		"confine": {"command": "x", "cwd": "/srv", "confine": {"read": ["data", "/srv/data"], "write": ["../out"]}},
		"command": {"type": "command", "commands": {"a": {"run": ["true"]}}},
		"spec": {"type": "openapi", "spec": "api/a.yaml", "baseUrl": "https://api.example.com"},
		"address": {"type": "openapi", "spec": "https://api.example.com/a.yaml"},
		"schema": {"type": "graphql", "url": "https://api.example.com", "spec": "a.graphql"},
		"http": {"url": "https://api.example.com"}
	}}`, "")
	c := s.load()
	in := func(named ...string) files.Folder { return files.Folder{Dir: s.project, Named: named} }
	for name, want := range map[string]files.Folder{
		"root": in(), "written": in("/srv/out", filepath.Join(s.home, "cache")), "absolute": in(), "around": in(), "outside": {}, "cwd": in(), "here": in(),
		"confine": in("/srv", "/srv/data", filepath.Join(filepath.Dir(s.project), "out")), "command": in(), "spec": in(), "address": {}, "schema": in(), "http": {}, "users": {},
	} {
		if got, known := c.Servers[name]; !known || got.Project.Dir != want.Dir || !slices.Equal(got.Project.Named, want.Named) {
			t.Errorf("%s: %+v, want %+v (%v)", name, got.Project, want, got.Problem)
		}
	}
	for _, m := range c.Mistakes {
		t.Error(m)
	}
}
