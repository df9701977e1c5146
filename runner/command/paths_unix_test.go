//go:build unix

package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/runner/command"
)

// project returns a folder with a project, and a home folder beside it that contains a key.
func project(t *testing.T) (project, home string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project, home = filepath.Join(top, "project"), filepath.Join(top, "home")
	for _, folder := range []string{filepath.Join(project, "docs", "sub"), filepath.Join(project, "data"), home} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for file, text := range map[string]string{filepath.Join(project, "docs", "file"): "text", filepath.Join(home, "file"): "the key"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return project, home
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

// TestLinksOfProject: a root, working directory or writable path that a link leads out of the project
// is refused.
func TestLinksOfProject(t *testing.T) {
	project, home := project(t)
	s := spec(t, "cat", "file")
	s.Project, s.Root, s.Writable = files.Folder{Dir: project}, filepath.Join(project, "docs"), []string{filepath.Join(project, "data"), filepath.Join(project, "missing")}
	if got := run(t, s); got.Stdout != "text" {
		t.Fatalf("%+v", got)
	}
	refused := func(what string, s command.Spec) {
		t.Helper()
		if got, err := runner.Run(t.Context(), s); err == nil || strings.Contains(err.Error(), "the key") || !strings.Contains(err.Error(), "leads to "+home) {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
	link(t, home, filepath.Join(project, "data"))
	refused("writable", s)
	s.Writable = nil
	s.Dir = filepath.Join(project, "docs", "sub")
	link(t, home, s.Dir)
	refused("the working directory", s)
	s.Dir = ""
	link(t, home, s.Root)
	refused("the root", s)
	s.Args = []string{"sh", "-c", "echo written > new"}
	refused("the root of a program that writes", s)
	if _, err := os.Stat(filepath.Join(home, "new")); err == nil {
		t.Error("the program has written")
	}
	s.Project.Named = []string{home}
	if got := run(t, s); got.ExitCode != 0 {
		t.Errorf("a target that is named: %+v", got)
	}
}

// TestSwappedRoot: no program runs outside if the root is swapped with a link while programs start.
func TestSwappedRoot(t *testing.T) {
	project, home := project(t)
	root, other := filepath.Join(project, "docs"), filepath.Join(project, "other")
	link(t, home, filepath.Join(project, "link"))
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !stop.Load() {
			_ = os.Rename(root, other)
			_ = os.Rename(filepath.Join(project, "link"), root)
			_ = os.Rename(root, filepath.Join(project, "link"))
			_ = os.Rename(other, root)
		}
	}()
	s := spec(t, "sh", "-c", "cat file; echo x > file")
	s.Project, s.Root = files.Folder{Dir: project}, root
	for range 20 {
		if got, err := runner.Run(t.Context(), s); err == nil && strings.Contains(got.Stdout, "the key") {
			t.Errorf("%+v", got)
		}
	}
	stop.Store(true)
	<-done
	if text, err := os.ReadFile(filepath.Join(home, "file")); err != nil || string(text) != "the key" {
		t.Errorf("the file in the home folder: %q, %v", text, err)
	}
}
