package logfile_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript/cmd/logfile"
)

func create(t *testing.T, folder logfile.Folder) string {
	t.Helper()
	f, err := folder.Create()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// TestCreateDeletesOldLogs: logs are deleted after seven days, other files are not.
func TestCreateDeletesOldLogs(t *testing.T) {
	folder := logfile.Folder(filepath.Join(t.TempDir(), "logs"))
	week, recent, notes := create(t, folder), create(t, folder), filepath.Join(string(folder), "notes.log")
	rotated := week + ".old"
	for path, age := range map[string]time.Duration{week: 169 * time.Hour, rotated: 169 * time.Hour, recent: 167 * time.Hour, notes: 1000 * time.Hour} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	newest := create(t, folder)
	for path, want := range map[string]bool{week: false, rotated: false, recent: true, notes: true, newest: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", filepath.Base(path), err == nil, want)
		}
	}
}

func TestNewest(t *testing.T) {
	folder := logfile.Folder(t.TempDir())
	if got := folder.Newest(); got != "" {
		t.Errorf("Newest of an empty folder = %q", got)
	}
	for _, name := range []string{"gateway-20250102T000000-1.log", "gateway-20250101T000000-9.log", "gateway-20250102T000000-1.log.old", "z.log"} {
		if err := os.WriteFile(filepath.Join(string(folder), name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := filepath.Base(folder.Newest()); got != "gateway-20250102T000000-1.log" {
		t.Errorf("Newest = %q", got)
	}
	for range 20 { // all in the same second
		if want, got := create(t, folder), folder.Newest(); got != want {
			t.Errorf("Newest = %q after %q was created", got, want)
		}
	}
}

// TestWriterBoundsTheFile: at most two files are kept. Another descriptor of the file, such as
// the standard error of the process, can still write to it.
func TestWriterBoundsTheFile(t *testing.T) {
	path := create(t, logfile.Folder(t.TempDir()))
	stderr, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	w, err := logfile.NewWriter(path)
	if err != nil {
		t.Fatal(err)
	}
	w.SetMax(10)
	for _, line := range []string{"first\n", "second\n", "third\n"} {
		if _, err := w.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := stderr.WriteString("panic\n"); err != nil {
		t.Fatal(err)
	}
	f, err := logfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(f)
	if want := "second\nthird\npanic\n"; err != nil || string(text) != want {
		t.Errorf("log = %q, %v; want %q", text, err, want)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestWriterOfAMissingFile(t *testing.T) {
	if _, err := logfile.NewWriter(filepath.Join(t.TempDir(), "gone")); err == nil || !strings.Contains(err.Error(), "log file") {
		t.Errorf("NewWriter = %v, want an error", err)
	}
}
