package kept_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs/kept"
)

const id = "run_0123456789abcdef"

func TestRead(t *testing.T) {
	s := kept.Outputs{Dir: filepath.Join(t.TempDir(), "outputs")}
	if err := s.Put(id, kept.Output, []byte("0123456789")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		from, to int64
		want     string
	}{
		{0, 0, "0123456789"}, {3, 5, "34"}, {8, 100, "89"}, {100, 0, ""}, {5, 3, ""},
	} {
		if got, err := s.Read(id, toolscript.OutputQuery{From: tt.from, To: tt.to}); err != nil || string(got) != tt.want {
			t.Errorf("Read(%d, %d) = %q, %v, want %q", tt.from, tt.to, got, err, tt.want)
		}
	}
	info, err := os.Stat(filepath.Join(s.Dir, id+".output"))
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, want 0600", info.Mode())
	}
}

func TestReadOfMissingOutput(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "secret.output"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := kept.Outputs{Dir: filepath.Join(dir, "outputs")}
	for _, name := range []string{id, "../secret", "", id + "/", id + "/../../secret", "run_0123456789ABCDEF"} {
		for _, value := range []bool{false, true} {
			if got, err := s.Read(name, toolscript.OutputQuery{Value: value}); toolscript.KindOf(err) != toolscript.NotFound {
				t.Errorf("Read(%q, %v) = %q, %v, want not_found", name, value, got, err)
			}
		}
	}
	if _, err := s.Create("../x", kept.Output); err == nil {
		t.Error("Create of a path: no error")
	}
	if err := (kept.Outputs{}).Put(id, kept.Value, nil); err == nil {
		t.Error("Put without a folder: no error")
	}
}

func TestLongOutputIsDroppedInTheEnd(t *testing.T) {
	s := kept.Outputs{Dir: t.TempDir()}
	f, err := s.Create(id, kept.Output)
	if err != nil {
		t.Fatal(err)
	}
	piece := bytes.Repeat([]byte("x"), 1<<20)
	for range 40 {
		if n, err := f.Write(piece); n != len(piece) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := s.Read(id, toolscript.OutputQuery{From: kept.MostOutput - 1})
	if want := "x\n[the rest is not stored: the limit is 32 MB per run]\n"; string(got) != want || err != nil || f.Size() != kept.MostOutput {
		t.Errorf("the end is %q, %v, size %d, want %q", got, err, f.Size(), want)
	}
}

func TestOldestOutputsAreDeleted(t *testing.T) {
	s := kept.Outputs{Dir: t.TempDir()}
	name := func(i int) string { return fmt.Sprintf("run_%016x", i) }
	start := time.Now().Add(-time.Hour)
	for i := range 205 {
		if err := s.Put(name(i), kept.Value, []byte("1")); err != nil {
			t.Fatal(err)
		}
		at := start.Add(time.Duration(i) * time.Second)
		if err := os.Chtimes(filepath.Join(s.Dir, name(i)+".value"), at, at); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range map[int]bool{0: false, 4: false, 5: true, 204: true} {
		if _, err := s.Read(name(i), toolscript.OutputQuery{Value: true}); (err == nil) != want {
			t.Errorf("%s: %v, want it kept: %v", name(i), err, want)
		}
	}
}
