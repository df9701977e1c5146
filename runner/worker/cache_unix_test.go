//go:build unix

package worker

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTrusted(t *testing.T) {
	open, link := filepath.Join(t.TempDir(), "open"), filepath.Join(t.TempDir(), "link")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o770); err != nil { // Mkdir applies the umask
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	foreign := "/usr" // owned by another user; a process that may change owners creates its own below
	if os.Geteuid() == 0 {
		foreign = t.TempDir()
		if err := os.Chown(foreign, 65534, -1); err != nil {
			t.Fatal(err)
		}
	}
	missing := filepath.Join(t.TempDir(), "a", "b")
	for dir, want := range map[string]string{
		"":                  "",
		missing:             missing,
		open:                "", // writable by the group
		link:                "",
		foreign:             "",
		"/proc/nonexistent": "",
	} {
		if got := trusted(dir); got != want {
			t.Errorf("trusted(%q) = %q, want %q", dir, got, want)
		}
	}
}
