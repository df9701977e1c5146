package files_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscript/toolscript/internal/files"
)

func TestWriteReplaces(t *testing.T) {
	for name, write := range map[string]func(string, []byte) error{"not synced": files.Write, "synced": files.WriteSynced} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "file")
			if err := os.WriteFile(path, []byte("old and longer"), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := write(path, []byte("new")); err != nil {
				t.Fatal(err)
			}
			wantContent(t, path, "new")
			if info, err := os.Stat(path); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
				t.Errorf("%v %v, want 0600", info.Mode(), err)
			}
			wantFiles(t, dir, 1)
		})
	}
}

func TestFailuresLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(folder, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := files.Write(folder, nil); err == nil {
		t.Error("Write replaces a folder")
	}
	if err := files.Write(filepath.Join(dir, "none", "file"), nil); err == nil {
		t.Error("Write creates a folder")
	}
	wantFiles(t, dir, 1)
}

func TestDiscard(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := files.Write(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	f, err := files.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	f.Discard()
	f.Discard()
	wantContent(t, path, "old")
	wantFiles(t, dir, 1)
}

// TestLeftovers: files of writers that have ended are removed; those of living writers
// and other files are not.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	living, err := files.Create(filepath.Join(dir, "living"))
	if err != nil {
		t.Fatal(err)
	}
	defer living.Discard()
	long := time.Now().Add(-2 * time.Hour)
	for _, name := range []string{".file.123.tmp", ".other.json.456.tmp", "notes.tmp", ".hidden"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, long, long)); err != nil {
			t.Fatal(err)
		}
	}
	files.TidyNow(dir)
	wantFiles(t, dir, 3) // living, notes.tmp, .hidden
	if err := living.Replace(false); err != nil {
		t.Fatal(err)
	}
	wantContent(t, filepath.Join(dir, "living"), "")
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := files.Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := files.TryLock(path); second != nil || err != nil {
		t.Errorf("a second lock: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := files.Lock(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want the deadline", err)
	}
	unlock()
	third, err := files.TryLock(path)
	if err != nil || third == nil {
		t.Fatalf("the lock is not free: %v", err)
	}
	third()
}

// TestLockTransient: one goroutine at a time has the lock, although the file is removed each time.
func TestLockTransient(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "lock")
	if err := os.WriteFile(path, nil, 0o600); err != nil { // a killed process has left it
		t.Fatal(err)
	}
	var holders atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				unlock, err := files.LockTransient(t.Context(), path)
				if err != nil {
					t.Error(err)
					return
				}
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d have the lock", n)
				}
				runtime.Gosched()
				holders.Add(-1)
				unlock()
			}
		})
	}
	all.Wait()
	if runtime.GOOS != "windows" {
		wantFiles(t, dir, 0)
	}
	unlock, err := files.LockTransient(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := files.LockTransient(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that the context ended", err)
	}
}

func wantFiles(t *testing.T, dir string, want int) {
	t.Helper()
	if files, err := os.ReadDir(dir); err != nil || len(files) != want {
		t.Errorf("the folder holds %v, %v; want %d", files, err, want)
	}
}

func wantContent(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("the file holds %q, %v; want %q", got, err, want)
	}
}
