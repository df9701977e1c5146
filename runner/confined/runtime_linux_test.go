package confined_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/runner/confined"
)

// TestRuntimePathsOfPython: a program of a virtual environment needs the interpreter of that environment,
// whatever its first line says. A shim needs its version manager.
func TestRuntimePathsOfPython(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	at := func(name string) string { return filepath.Join(top, name) }
	for name, text := range map[string]string{
		"base/bin/python3.12": "\x7fELF", "venv/pyvenv.cfg": "", "venv/bin/server": "#!/bin/sh\n'''exec' \"" + at("venv/bin/python") + "\" \"$0\" \"$@\"\n' '''\n",
		"pyenv/shims/uvx": "#!/usr/bin/env bash\n", "pyenv/versions/3.12/bin/uvx": "", "own/shims/server": "#!/bin/sh\n",
		"project/pyproject.toml": "", "project/.venv/pyvenv.cfg": "",
	} {
		must(t, os.MkdirAll(filepath.Dir(at(name)), 0o700))
		must(t, os.WriteFile(at(name), []byte(text), 0o700))
	}
	must(t, os.MkdirAll(at("local"), 0o700))
	must(t, os.MkdirAll(at("project/.venv/bin"), 0o700))
	must(t, os.Symlink(at("base/bin/python3.12"), at("venv/bin/python")))
	must(t, os.Symlink(at("base/bin/python3.12"), at("project/.venv/bin/python")))
	must(t, os.Symlink(at("venv/bin/server"), at("local/server")))
	for program, want := range map[string][]string{
		"venv/bin/server":          {"venv/bin", "venv/pyvenv.cfg", "base/bin", "base/lib"},
		"local/server":             {"venv/bin", "venv/pyvenv.cfg", "base/bin", "base/lib"},
		"pyenv/shims/uvx":          {"pyenv"},
		"own/shims/server":         {"own/shims"},
		"project/.venv/bin/python": {"project", "base/lib"},
	} {
		got := confined.RuntimePaths(files.Folder{}, at(program), nil, top, exec.LookPath)
		for _, path := range want {
			if !slices.Contains(got, at(path)) {
				t.Errorf("%s: %q without %s", program, got, path)
			}
		}
		if slices.Contains(got, at("own")) || slices.Contains(got, top) {
			t.Errorf("%s: %q", program, got)
		}
	}
	got := confined.Interpreter(at("project/.venv/bin/python"), exec.LookPath)
	if slices.Contains(got, at("project")) || !slices.Contains(got, at("project/.venv/bin")) || !slices.Contains(got, at("base/lib")) {
		t.Errorf("an interpreter of PATH: %q", got)
	}
}
