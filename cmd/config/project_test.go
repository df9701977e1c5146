package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/internal/files"
)

// TestProjectOfServers: paths in a project's file are resolved below its folder; paths that lead out of
// the folder are targets that the user has seen.
func TestProjectOfServers(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project, home := filepath.Join(top, "project"), filepath.Join(top, "home")
	for folder, text := range map[string]string{
		project: `{"mcpServers": {
			"root": {"type": "builtin", "root": "docs"},
			"written": {"type": "builtin", "root": "docs", "tools": ["exec"], "exec": {"writable": ["out", "/srv/out", "~/cache"]}},
			"absolute": {"type": "builtin", "root": "` + project + `/docs"},
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
		}}`,
		home: `{"mcpServers": {"users": {"type": "builtin", "root": "docs"}}}`,
	} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, config.FileName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := config.Load(config.Options{WorkDir: project, Trust: true, LookupEnv: func(name string) (string, bool) {
		if name == "HOME" || name == "USERPROFILE" {
			return home, true
		}
		return "", false
	}})
	if err != nil {
		t.Fatal(err)
	}
	in := func(named ...string) files.Folder { return files.Folder{Dir: project, Named: named} }
	for name, want := range map[string]files.Folder{
		"root": in(), "written": in("/srv/out", filepath.Join(home, "cache")), "absolute": in(), "around": in(), "outside": {}, "cwd": in(), "here": in(),
		"confine": in("/srv", "/srv/data", filepath.Join(top, "out")), "command": in(), "spec": in(), "address": {}, "schema": in(), "http": {}, "users": {},
	} {
		if got, known := c.Servers[name]; !known || got.Project.Dir != want.Dir || !slices.Equal(got.Project.Named, want.Named) {
			t.Errorf("%s: %+v, want %+v (%v)", name, got.Project, want, got.Problem)
		}
	}
	for _, m := range c.Mistakes {
		t.Error(m)
	}
}
