package mcpclient_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestWorkingDirectoryOfProject: a server does not start in a folder that a link leads out of its project.
func TestWorkingDirectoryOfProject(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege on Windows")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project, home, started := filepath.Join(top, "project"), filepath.Join(top, "home"), filepath.Join(top, "started")
	for _, folder := range []string{filepath.Join(project, "sub"), home} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	start := func(dir string, named ...string) string {
		t.Helper()
		_ = os.Remove(started)
		_, err := mcpclient.Dialer{}.Dial(kit.Within(t), "srv", upstream.Config{
			Type: upstream.Stdio, Command: "sh", Args: []string{"-c", "pwd -P > " + started}, Dir: filepath.Join(project, dir),
			Project: files.Folder{Dir: project, Named: named},
		}, upstream.Events{})
		if err == nil {
			t.Fatal("it is no server")
		}
		text, failed := os.ReadFile(started)
		if failed != nil && toolscript.KindOf(err) == toolscript.Unavailable {
			return err.Error()
		}
		return strings.TrimSpace(string(text))
	}
	if got := start("sub"); got != filepath.Join(project, "sub") {
		t.Errorf("started in %s", got)
	}
	for _, link := range [][2]string{{"absolute", home}, {"relative", "../home"}, {"above", ".."}, {"twice", "relative"}} {
		name := link[0]
		if err := os.Symlink(link[1], filepath.Join(project, name)); err != nil {
			t.Fatal(err)
		}
		if got := start(name); !strings.Contains(got, "leads to "+filepath.Dir(home)) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := start("above/home"); !strings.Contains(got, "leads to "+home) {
		t.Error(got)
	}
	if got := start("absolute", home); got != home {
		t.Errorf("a target that the file names: %s", got)
	}
	if got := start("missing"); !strings.Contains(got, `"cwd"`) {
		t.Error(got)
	}
}
