package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/toolscript/toolscript/internal/files"
)

func TestDirMakesItPrivate(t *testing.T) {
	needModes(t)
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := files.PrivateDir(dir); err != nil {
		t.Fatal(err)
	}
	if got := mode(t, dir); got != 0o700 {
		t.Errorf("mode of %s = %o, want 700", dir, got)
	}
}

// TestDirChangesNothingOfOthers: PrivateDir does not change the mode of an existing folder. Otherwise
// root, with a wrong variable, would lock all users out of /tmp or /etc.
func TestDirChangesNothingOfOthers(t *testing.T) {
	needModes(t)
	open := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	for perm, accepted := range map[os.FileMode]bool{0o755: true, 0o777: false, 0o775: false} {
		if err := os.Chmod(open, perm); err != nil {
			t.Fatal(err)
		}
		if err := files.PrivateDir(open); (err == nil) != accepted {
			t.Errorf("Dir of a folder of mode %o = %v, accepted is %v", perm, err, accepted)
		}
		if got := mode(t, open); got != perm {
			t.Errorf("mode %o became %o", perm, got)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	if err := files.PrivateDir(link); err == nil {
		t.Error("Dir accepts a symbolic link")
	}
}

func TestDirRefusesFoldersOfOtherUsers(t *testing.T) {
	needModes(t)
	if os.Geteuid() == 0 {
		dir := t.TempDir()
		if err := os.Chown(dir, 12345, -1); err != nil {
			t.Skip("root without the right to give a folder away")
		}
		if err := files.PrivateDir(dir); err == nil {
			t.Error("Dir accepts another user's folder")
		}
		return
	}
	if err := files.PrivateDir("/"); err == nil {
		t.Error("Dir accepts the root folder")
	}
}

func TestCheck(t *testing.T) {
	needModes(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := files.CheckPrivateDir(file); err == nil {
		t.Error("Check accepts a file")
	}
	if err := files.CheckPrivateDir(filepath.Join(dir, "gone")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Check of a missing folder = %v, want fs.ErrNotExist", err)
	}
	for perm, ok := range map[os.FileMode]bool{0o700: true, 0o755: true, 0o720: false, 0o702: false} {
		if err := os.Chmod(dir, perm); err != nil {
			t.Fatal(err)
		}
		if err := files.CheckPrivateDir(dir); (err == nil) != ok {
			t.Errorf("Check of mode %o = %v, want ok %v", perm, err, ok)
		}
	}
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func needModes(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
}
