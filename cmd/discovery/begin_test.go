package discovery_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/toolscript/toolscript/cmd/discovery"
)

// TestBegin: starts with the same key wait for each other, with and without XDG_RUNTIME_DIR, and
// leave no files.
func TestBegin(t *testing.T) {
	root := t.TempDir()
	discovery.SetUsersDir(t, filepath.Join(root, "users"))
	xdg := filepath.Join(root, "xdg")
	if err := os.Mkdir(xdg, 0o700); err != nil {
		t.Fatal(err)
	}
	places := func(env map[string]string) discovery.Places {
		p, err := discovery.RuntimePlaces(filepath.Join(root, "data"), lookup(env))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	with, without := places(map[string]string{"XDG_RUNTIME_DIR": xdg}), places(nil)
	first := discovery.Entry{Session: "s", Config: []string{"/a", "/b"}, Client: &discovery.Process{PID: 7, StartTime: 9}}
	end, err := with.Begin(t.Context(), first.Keys()...)
	if err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]struct {
		entry discovery.Entry
		waits bool
	}{
		"the same session and files": {discovery.Entry{Session: "s", Config: []string{"/a", "/b"}}, true},
		"the same client":            {discovery.Entry{Session: "other", Client: first.Client}, true},
		"another session":            {discovery.Entry{Session: "other", Config: []string{"/a", "/b"}}, false},
		"other files":                {discovery.Entry{Session: "s", Config: []string{"/a/b"}}, false},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if !other.waits {
			ctx = t.Context()
		}
		end, err := without.Begin(ctx, other.entry.Keys()...)
		if waited := errors.Is(err, context.DeadlineExceeded); waited != other.waits || !waited && err != nil {
			t.Errorf("%s: Begin = %v, want that it waits: %v", name, err, other.waits)
		}
		if err == nil {
			end()
		}
		cancel()
	}
	end()
	again, err := without.Begin(t.Context(), first.Keys()...)
	if err != nil {
		t.Fatal(err)
	}
	again()
	if runtime.GOOS == "windows" {
		return // an open file cannot be removed
	}
	for _, dir := range with.Folders() {
		if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
			t.Errorf("left in %s: %v, %v", dir, files, err)
		}
	}
}

// TestBeginWithoutAFolder: a start continues if there is no folder for the lock.
func TestBeginWithoutAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	end, err := discovery.In(filepath.Join(file, "run")).Begin(t.Context(), "key")
	if err != nil {
		t.Fatal(err)
	}
	end()
}
