package builtin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/builtin"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestRootOfProject: if a commit has replaced the root by a link, the root is not opened.
func TestRootOfProject(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project, home := filepath.Join(top, "project"), filepath.Join(top, "home")
	for _, folder := range []string{filepath.Join(project, "docs"), home} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	dial := func(named ...string) error {
		conn, err := builtin.Dialer{}.Dial(t.Context(), "docs", upstream.Config{
			Type: upstream.Builtin, Root: filepath.Join(project, "docs"), Tools: []string{"readFile"}, Project: files.Folder{Dir: project, Named: named},
		}, upstream.Events{})
		if err == nil {
			_ = conn.Close()
		}
		return err
	}
	if err := dial(); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{home, "../home", filepath.Dir(project)} {
		if err := os.RemoveAll(filepath.Join(project, "docs")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(project, "docs")); err != nil {
			t.Skip(err)
		}
		if err := dial(); err == nil || !strings.Contains(err.Error(), "leads to "+top) || toolscript.KindOf(err) != toolscript.Unavailable {
			t.Errorf("%s: %v", target, err)
		}
		if err := dial(top); err != nil {
			t.Errorf("a target that the file names: %v", err)
		}
	}
}
