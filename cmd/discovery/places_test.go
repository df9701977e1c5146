package discovery_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/cmd/discovery"
)

// TestRuntimePlaces checks the folders in which commands look, and those that get the entry of a gateway.
func TestRuntimePlaces(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
	root := t.TempDir()
	discovery.SetUsersDir(t, filepath.Join(root, "users"))
	var (
		xdg, user = filepath.Join(root, "xdg"), discovery.UserRuntimeDir()
		data      = filepath.Join(root, "data")
		ours      = filepath.Join(root, "ours")
		home      = filepath.Join(data, "run")
		inXDG     = filepath.Join(xdg, "toolscript")
		inUser    = filepath.Join(user, "toolscript")
		missing   = filepath.Join(root, "missing")
		writable  = filepath.Join(root, "writable")
	)
	for _, dir := range []string{xdg, user, writable} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(writable, 0o777); err != nil {
		t.Fatal(err)
	}
	systemd := []string{inUser}
	if runtime.GOOS != "linux" {
		systemd = nil
	}
	for _, test := range []struct {
		name           string
		env            map[string]string
		look, register []string
	}{
		{"variable of ours", map[string]string{"TOOLSCRIPT_RUNTIME_DIR": ours, "XDG_RUNTIME_DIR": xdg}, []string{ours}, []string{ours, home}},
		{"XDG", map[string]string{"XDG_RUNTIME_DIR": xdg}, append(append([]string{inXDG}, systemd...), home), []string{inXDG, home}},
		{"no variable", nil, append(systemd, home), append(systemd, home)},
		{"XDG of the system", map[string]string{"XDG_RUNTIME_DIR": user}, []string{inUser, home}, []string{inUser, home}},
		{"XDG that is not there", map[string]string{"XDG_RUNTIME_DIR": missing}, append(systemd, home), append(systemd, home)},
		{"XDG that others can write to", map[string]string{"XDG_RUNTIME_DIR": writable}, append(systemd, home), append(systemd, home)},
		{"relative XDG", map[string]string{"XDG_RUNTIME_DIR": "."}, append(systemd, home), append(systemd, home)},
		{"TMPDIR does not count", map[string]string{"TMPDIR": xdg}, append(systemd, home), append(systemd, home)},
	} {
		t.Run(test.name, func(t *testing.T) {
			places, err := discovery.RuntimePlaces(data, lookup(test.env))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.look, places.Folders()); diff != "" {
				t.Errorf("commands look in (-want +got):\n%s", diff)
			}
			own := write(t, places, discovery.Entry{URL: capability})
			if diff := cmp.Diff(test.register, own.Folders); diff != "" {
				t.Errorf("the entry is in (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]discovery.Entry{own}, list(t, places)); diff != "" {
				t.Errorf("List (-want +got):\n%s", diff)
			}
			if err := places.Remove(own); err != nil {
				t.Fatal(err)
			}
			for _, dir := range test.register {
				if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
					t.Errorf("left in %s: %v, %v", dir, files, err)
				}
			}
		})
	}
}

// TestOtherVariables: a command finds a gateway that was started with other variables, even
// after another session has taken it over.
func TestOtherVariables(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
	xdg, data := t.TempDir(), t.TempDir()
	discovery.SetUsersDir(t, filepath.Join(data, "none"))
	full, err := discovery.RuntimePlaces(data, lookup(map[string]string{"XDG_RUNTIME_DIR": xdg}))
	if err != nil {
		t.Fatal(err)
	}
	reduced, err := discovery.RuntimePlaces(data, lookup(nil))
	if err != nil {
		t.Fatal(err)
	}
	own := write(t, full, discovery.Entry{URL: capability, Session: "one"})
	if diff := cmp.Diff([]discovery.Entry{own}, list(t, reduced)); diff != "" {
		t.Errorf("without XDG_RUNTIME_DIR (-want +got):\n%s", diff)
	}
	if err := reduced.Adopt(own, "two"); err != nil {
		t.Fatal(err)
	}
	own.Session = "two"
	if diff := cmp.Diff([]discovery.Entry{own}, list(t, full)); diff != "" {
		t.Errorf("adopted (-want +got):\n%s", diff)
	}
	gone := own
	gone.PID = 1 << 30
	for _, places := range []discovery.Places{discovery.In(filepath.Join(xdg, "toolscript")), discovery.In(filepath.Join(data, "run"))} {
		processScope(t, places, fileName(gone), gone)
	}
	if ended, _, err := reduced.Prune(); err != nil || len(ended) != 1 {
		t.Errorf("Prune = %v, %v; want one gateway", ended, err)
	}
	if _, err := os.Stat(filepath.Join(xdg, "toolscript", fileName(gone))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the other entry of a gateway that has ended: %v, want it removed", err)
	}
	if diff := cmp.Diff([]discovery.Entry{own}, list(t, full)); diff != "" {
		t.Errorf("List after Prune (-want +got):\n%s", diff)
	}
}

// TestUnusableFolder: a gateway that cannot write to its home folder is found by commands with the
// same variables, and warns that others cannot find it.
func TestUnusableFolder(t *testing.T) {
	xdg, file := t.TempDir(), filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	places := discovery.In(xdg, filepath.Join(file, "run"))
	own, err := places.Write(discovery.Entry{URL: capability})
	if err == nil || !strings.Contains(err.Error(), "other variables") {
		t.Errorf("Write = %v, want a warning", err)
	}
	if diff := cmp.Diff([]string{xdg}, own.Folders); diff != "" {
		t.Errorf("folders (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]discovery.Entry{own}, list(t, places)); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
}
