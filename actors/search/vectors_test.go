package search_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/actors/search"
	"github.com/toolscript/toolscript/actors/search/index"
)

func newFile(tb testing.TB) search.VectorFile {
	tb.Helper()
	return search.VectorFile{Dir: filepath.Join(tb.TempDir(), "embeddings"), Model: "m-1", Dim: 3}
}

func key(name string) index.Key { return sha256.Sum256([]byte(name)) }

func some(names ...string) index.Vectors {
	all := index.Vectors{}
	for i, name := range names {
		all[key(name)] = []float32{0.5, float32(i) / 64, -0.25}
	}
	return all
}

func keys(names ...string) []index.Key {
	var all []index.Key
	for _, name := range names {
		all = append(all, key(name))
	}
	return all
}

func add(t *testing.T, f search.VectorFile, fresh index.Vectors, used ...index.Key) {
	t.Helper()
	if err := f.Add(t.Context(), fresh, used); err != nil {
		t.Fatal(err)
	}
}

// has checks the names whose vectors are in the file.
func has(t *testing.T, f search.VectorFile, names string, want string) {
	t.Helper()
	found, err := f.Read(keys(strings.Fields(names)...))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for name := range strings.FieldsSeq(names) {
		if found.Vectors[key(name)] != nil {
			got = append(got, name)
		}
	}
	if strings.Join(got, " ") != want {
		t.Errorf("the file has %q of %q, want %q", got, names, want)
	}
}

func TestFileReturnsWrittenVectors(t *testing.T) {
	f := newFile(t)
	has(t, f, "a", "")
	add(t, f, some("a", "b"))
	add(t, f, some("c"))
	found, err := f.Read(keys("a", "b", "none"))
	if diff := cmp.Diff(some("a", "b"), found.Vectors); err != nil || diff != "" || found.Stale {
		t.Errorf("%v, stale %t (-want +got):\n%s", err, found.Stale, diff)
	}
	has(t, f, "a b c d", "a b c")
	info, err := os.Stat(f.Path())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v, want 0600", info.Mode(), err)
	}
	if err := f.Add(t.Context(), index.Vectors{key("d"): {1}}, nil); err == nil {
		t.Error("a vector of another length is accepted")
	}
	if left, _ := filepath.Glob(filepath.Join(f.Dir, "*.tmp")); len(left) != 0 { // names with a dot too
		t.Errorf("left behind: %q", left)
	}
}

func TestEmptyAddWritesNoFile(t *testing.T) {
	f := newFile(t)
	add(t, f, nil)
	if _, err := os.Stat(f.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty file was written: %v", err)
	}
}

// TestADamagedFile: Read returns the sound records and an error; Add repairs the
// file.
func TestADamagedFile(t *testing.T) {
	sound := newFile(t)
	add(t, sound, some("a", "b", "c"))
	text, err := os.ReadFile(sound.Path())
	if err != nil {
		t.Fatal(err)
	}
	flipped := func(at int) []byte {
		changed := append([]byte(nil), text...)
		changed[at] ^= 0x10
		return changed
	}
	for name, tt := range map[string]struct {
		text  []byte
		found int
		says  string
	}{
		"empty":                  {nil, 0, "not a file of vectors"},
		"another program's":      {[]byte(strings.Repeat("{}", 100)), 0, "not a file of vectors"},
		"a header with an error": {flipped(9), 0, "not a file of vectors"},
		"a value with an error":  {flipped(len(text) - 6), 2, "1 of its 3 records"},
		"cut":                    {text[:len(text)-5], 2, "1 of its 3 records"},
		"cut in the header":      {text[:5], 0, "not a file of vectors"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFile(t)
			add(t, f, some("x"))
			if err := os.WriteFile(f.Path(), tt.text, 0o600); err != nil {
				t.Fatal(err)
			}
			found, err := f.Read(keys("a", "b", "c"))
			if len(found.Vectors) != tt.found || err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%d found, %v; want %d and %q", len(found.Vectors), err, tt.found, tt.says)
			}
			add(t, f, some("a", "b", "c"))
			has(t, f, "a b c", "a b c")
		})
	}
}

// TestImpossibleVectors: impossible vectors are ignored, even if their checksum is
// right.
func TestImpossibleVectors(t *testing.T) {
	f := newFile(t)
	add(t, f, index.Vectors{key("nan"): {float32(math.NaN()), 0, 0}, key("long"): {1, 1, 1}, key("a"): {1, 0, 0}})
	if found, err := f.Read(keys("nan", "long", "a")); len(found.Vectors) != 1 || err == nil {
		t.Errorf("found %v, %v", found.Vectors, err)
	}
}

func TestModelsHaveSeparateFiles(t *testing.T) {
	f := newFile(t)
	add(t, f, some("a"))
	other := f
	other.Model = "m-2"
	has(t, other, "a", "")
	if err := os.Rename(f.Path(), other.Path()); err != nil {
		t.Fatal(err)
	}
	if found, err := other.Read(keys("a")); len(found.Vectors) != 0 || err == nil {
		t.Errorf("vectors of another model are used: %v, %v", found, err)
	}
	wide := f
	wide.Dim = 4
	add(t, f, some("a"))
	if found, err := wide.Read(keys("a")); len(found.Vectors) != 0 || err == nil {
		t.Errorf("vectors of another length are used: %v, %v", found, err)
	}
}

// TestUnusedVectorsAreRemoved: unused records are removed after MaxUnusedVectors, used ones
// never.
func TestUnusedVectorsAreRemoved(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		f := search.VectorFile{Dir: dir, Model: "m-1", Dim: 3}
		add(t, f, some("used", "unused"))
		for range 5 {
			time.Sleep(20 * 24 * time.Hour)
			found, err := f.Read(keys("used"))
			if err != nil || !found.Stale {
				t.Fatalf("after 20 days: stale %t, %v", found.Stale, err)
			}
			add(t, f, nil, key("used"))
		}
		has(t, f, "used unused", "used")
	})
}

func TestNewestVectorsAreKept(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		f := search.VectorFile{Dir: dir, Model: "m-1", Dim: 3}
		batch := func(prefix string, n int) index.Vectors {
			all := index.Vectors{}
			for i := range n {
				all[key(fmt.Sprint(prefix, i))] = []float32{0.5, 0, 0}
			}
			return all
		}
		add(t, f, batch("old", search.MaxVectors/2))
		time.Sleep(24 * time.Hour)
		add(t, f, batch("mid", search.MaxVectors/2))
		time.Sleep(24 * time.Hour)
		fresh, mid := batch("new", 10), batch("mid", search.MaxVectors/2)
		add(t, f, fresh, key("old0"))
		for name, all := range map[string]index.Vectors{"new": fresh, "mid": mid, "in use": {key("old0"): nil}} {
			found, err := f.Read(slices.Collect(maps.Keys(all)))
			if err != nil || len(found.Vectors) != len(all) {
				t.Errorf("%s: %d of %d, %v", name, len(found.Vectors), len(all), err)
			}
		}
		if info, err := os.Stat(f.Path()); err != nil || info.Size() > 49+search.MaxVectors*52 {
			t.Errorf("%d bytes, %v", info.Size(), err)
		}
	})
}

// TestLeftovers: old files of other models are removed.
func TestLeftovers(t *testing.T) {
	f := newFile(t)
	add(t, f, some("a"))
	place := func(name string, age time.Duration) string {
		path := filepath.Join(f.Dir, name)
		at := time.Now().Add(-age)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	gone := []string{place("m-0.tse", 2*search.MaxUnusedVectors)}
	stay := []string{place("m-2.tse", time.Hour), place("notes.txt", 2*search.MaxUnusedVectors), f.Path()}
	add(t, f, some("b"))
	for _, path := range gone {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	for _, path := range stay {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

// TestManyWriters: concurrent writers lose no record.
func TestManyWriters(t *testing.T) {
	f := newFile(t)
	var all sync.WaitGroup
	var names []string
	for i := range 20 {
		name := fmt.Sprint("tool", i)
		names = append(names, name)
		all.Go(func() {
			if err := f.Add(t.Context(), some(name), nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	has(t, f, strings.Join(names, " "), strings.Join(names, " "))
}

// TestWaitForTheLockIsBounded: Add ends with its context; Read does not
// wait for the lock.
func TestWaitForTheLockIsBounded(t *testing.T) {
	f := newFile(t)
	add(t, f, some("a"))
	other := flock.New(f.Path() + ".lock")
	if ok, err := other.TryLock(); !ok {
		t.Fatal(err)
	}
	defer other.Close() //nolint:errcheck // the test is over
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := f.Add(ctx, some("b"), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want the deadline", err)
	}
	has(t, f, "a b", "a")
}

func FuzzRead(fz *testing.F) {
	f := newFile(fz)
	if err := f.Add(fz.Context(), some("a", "b"), nil); err != nil {
		fz.Fatal(err)
	}
	text, err := os.ReadFile(f.Path())
	if err != nil {
		fz.Fatal(err)
	}
	fz.Add(text)
	fz.Add(text[:60])
	fz.Add([]byte{})
	fz.Fuzz(func(t *testing.T, text []byte) {
		found, _ := f.Find(bytes.NewReader(text), keys("a", "b"))
		for k, v := range found.Vectors {
			if len(v) != 3 {
				t.Errorf("%x: %v", k, v)
			}
		}
	})
}

// BenchmarkRead reads the vectors of 2,000 tools, as a second start does.
func BenchmarkRead(b *testing.B) {
	f := search.VectorFile{Dir: b.TempDir(), Model: "m-1", Dim: 384}
	all := index.Vectors{}
	var wanted []index.Key
	for i := range 2000 {
		k := key(fmt.Sprint(i))
		all[k] = make([]float32, 384)
		wanted = append(wanted, k)
	}
	if err := f.Add(b.Context(), all, nil); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if found, err := f.Read(wanted); err != nil || len(found.Vectors) != 2000 {
			b.Fatal(len(found.Vectors), err)
		}
	}
}

// TestFolderAtThePathOfTheFile: a folder at the path of the file is one error, and no
// temporary file stays.
func TestFolderAtThePathOfTheFile(t *testing.T) {
	f := newFile(t)
	if err := os.MkdirAll(f.Path(), 0o700); err != nil {
		t.Fatal(err)
	}
	err := f.Add(t.Context(), some("a"), nil)
	if err == nil || strings.Contains(err.Error(), "already closed") {
		t.Errorf("Add over a folder: %v", err)
	}
	entries, err := os.ReadDir(f.Dir)
	if err != nil || len(entries) != 2 { // the folder and the lock
		t.Errorf("%d entries are left, %v", len(entries), err)
	}
}
