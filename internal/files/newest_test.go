package files_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript/internal/files"
)

// TestKeepNewest: KeepNewest removes the oldest files beyond the number and the size, and no other files.
func TestKeepNewest(t *testing.T) {
	matches := func(name string) bool { return strings.HasSuffix(name, ".x") }
	for _, test := range []struct {
		number int
		size   int64
		want   string
	}{{10, 100, "d.x c.x b.x a.x"}, {2, 100, "d.x c.x"}, {10, 25, "d.x c.x"}, {10, 5, ""}, {0, 100, ""}} {
		dir := t.TempDir()
		for i, name := range []string{"a.x", "b.x", "c.x", "d.x", "e.y"} {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, make([]byte, 10), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, time.Time{}, time.Unix(int64(i), 0)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Mkdir(filepath.Join(dir, "f.x"), 0o700); err != nil {
			t.Fatal(err)
		}
		files.KeepNewest(dir, matches, test.number, test.size)
		var got []string
		for _, f := range files.Newest(dir, matches) {
			got = append(got, f.Name())
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%d files and %d bytes: %v, want %s", test.number, test.size, got, test.want)
		}
		if left, err := os.ReadDir(dir); err != nil || !slices.ContainsFunc(left, func(e os.DirEntry) bool { return e.Name() == "e.y" }) {
			t.Errorf("left %v, %v", left, err)
		}
	}
	if got := files.Newest(filepath.Join(t.TempDir(), "none"), matches); got != nil {
		t.Errorf("without a folder: %v", got)
	}
}
