package confined_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/runner/confined"
)

// TestLinksOfProject: the helper does not start a server if a link leads a path of the project out of it,
// even if the link was created after the gateway checked the path.
func TestLinksOfProject(t *testing.T) {
	s := newScene(t)
	top, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	project, home := filepath.Join(top, "project"), filepath.Join(top, "home")
	for _, folder := range []string{filepath.Join(project, "data"), home} {
		must(t, os.MkdirAll(folder, 0o700))
		must(t, os.WriteFile(filepath.Join(folder, "file"), []byte(filepath.Base(folder)), 0o600))
	}
	cat := func(spec confined.Spec, file string) (string, error) {
		t.Helper()
		spec.Path, spec.Args = "/bin/cat", []string{"cat", filepath.Join(project, file)}
		spec.Read = append(spec.Read, confined.RuntimePaths(files.Folder{}, "/bin/cat", nil, s.temp, exec.LookPath)...)
		argv, err := spec.Wrap(s.self)
		must(t, err)
		out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
		return string(out), err
	}
	folder := files.Folder{Dir: project}
	if out, err := cat(confined.Spec{Project: folder, Read: []string{filepath.Join(project, "data"), filepath.Join(project, "missing")}}, "data/file"); err != nil || out != "data" {
		t.Fatalf("%v: %s", err, out)
	}
	links := map[string]string{"absolute": home, "relative": "../home", "twice": "relative", "file": home + "/file"}
	for name, target := range links {
		must(t, os.Symlink(target, filepath.Join(project, name)))
	}
	for name := range links {
		path := filepath.Join(project, name)
		for _, spec := range []confined.Spec{{Project: folder, Read: []string{path}}, {Project: folder, Write: []string{path}}} {
			out, err := cat(spec, name)
			if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || !strings.Contains(out, "leads to "+home) {
				t.Errorf("%s: %v: %s", name, err, out)
			}
		}
	}
	if out, err := cat(confined.Spec{Project: files.Folder{Dir: project, Named: []string{home}}, Read: []string{filepath.Join(project, "absolute"), home}}, "absolute/file"); err != nil || out != "home" {
		t.Errorf("a target that the file names: %v: %s", err, out)
	}
}

// TestScriptOfProject: if a link replaces the script, the folder that it leads to is not readable.
func TestScriptOfProject(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	project, keys := filepath.Join(top, "project"), filepath.Join(top, "keys")
	for _, folder := range []string{project, keys} {
		must(t, os.MkdirAll(folder, 0o700))
	}
	must(t, os.WriteFile(filepath.Join(keys, "id"), []byte("key"), 0o600))
	must(t, os.WriteFile(filepath.Join(project, "run"), []byte("#!/usr/bin/env -S -u "+keys+"/id sh\n"), 0o700))
	must(t, os.Symlink(filepath.Join(keys, "id"), filepath.Join(project, "server.js")))
	folder := files.Folder{Dir: project}
	for _, paths := range [][]string{
		confined.RuntimePaths(folder, "/bin/sh", []string{"server.js"}, project, exec.LookPath),
		confined.RuntimePaths(folder, filepath.Join(project, "server.js"), nil, project, exec.LookPath),
		confined.RuntimePaths(folder, filepath.Join(project, "run"), nil, project, func(name string) (string, error) {
			if filepath.IsAbs(name) {
				return name, nil
			}
			return exec.LookPath(name)
		}),
	} {
		for _, path := range paths {
			if strings.HasPrefix(path, keys) {
				t.Errorf("the server may read %s", path)
			}
		}
	}
}
