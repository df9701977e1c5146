package workspace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/builtin/tool"
	"github.com/toolscript/toolscript/transport/builtin/workspace"
	"github.com/toolscript/toolscript/transport/upstream"
)

// The environment variables of the child process that makes the changes of the crash test.
const (
	childRoot  = "CHANGES_TEST_ROOT"  // root of the workspace
	childState = "CHANGES_TEST_STATE" // folder of the journal
	childSteps = "CHANGES_TEST_STEPS" // the process kills itself before this step
	childFails = "CHANGES_TEST_FAILS" // before this step, a folder replaces a file; 0: never
)

// child changes the files and kills itself before a step. It returns the exit code 0 if the
// changes were made, and 3 if they were refused.
func child() int {
	last, _ := strconv.Atoi(os.Getenv(childSteps))
	fails, _ := strconv.Atoi(os.Getenv(childFails))
	root := os.Getenv(childRoot)
	n := 0
	workspace.SetStep(func() {
		if n++; n == fails { // from here on, the last file cannot be removed
			if os.Remove(filepath.Join(root, "gone.txt")) != nil || os.MkdirAll(filepath.Join(root, "gone.txt", "x"), 0o700) != nil {
				os.Exit(4)
			}
		}
		if n == last {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			if err != nil {
				os.Exit(4)
			}
			select {}
		}
	})
	w, err := tool.Open(files.Folder{}, root, upstream.Host{StateDir: os.Getenv(childState)})
	if err != nil {
		return 4
	}
	set := workspace.New(w)
	if err := fill(set); err != nil {
		return 4
	}
	if err := set.Commit(context.Background()); err != nil {
		return 3
	}
	return 0
}

// before holds the files of the crash test before the changes, and after those afterwards.
var (
	before = map[string]string{"kept.txt": "kept", "a.txt": "old a", "dir/b.txt": "old b", "gone.txt": "old gone", "from.txt": "moved"}
	after  = map[string]string{"kept.txt": "kept", "a.txt": "new a", "dir/b.txt": "new b", "to/deep/to.txt": "moved", "new/x.txt": "new x"}
)

func fill(set *workspace.Set) error {
	return errors.Join(
		set.Write("a.txt", "new a"),
		set.Write(filepath.FromSlash("dir/b.txt"), "new b"),
		set.Write(filepath.FromSlash("new/x.txt"), "new x"),
		set.Move("from.txt", filepath.FromSlash("to/deep/to.txt")),
		set.Remove("gone.txt"),
	)
}

// tree returns the files below a folder, and its empty folders with the content "folder".
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			inside, err := os.ReadDir(path)
			if len(inside) == 0 {
				all[filepath.ToSlash(rel)] = "folder"
			}
			return err
		}
		text, err := os.ReadFile(path)
		all[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// scene is a workspace with files.
func scene(t *testing.T, content map[string]string) *tool.Workspace {
	t.Helper()
	parent := t.TempDir()
	root := filepath.Join(parent, "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range content {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	w, err := tool.Open(files.Folder{}, root, upstream.Host{StateDir: filepath.Join(parent, "state")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// TestAKilledProcess: whenever a process is killed, the files are all old or all new after the
// next use, and nothing else is left. After a failure, the process restores the old files; it is
// also killed at each step of that.
func TestAKilledProcess(t *testing.T) {
	for _, test := range []struct {
		fails int // step from which a file cannot be removed, when other files have already moved; 0: never
		want  string
	}{{0, `^o{5,}n{5,}$`}, {25, `^o{5,}n+o{5,}$`}} {
		var outcomes strings.Builder
		for finished := false; !finished; {
			steps := outcomes.Len() + 1
			if steps > 200 {
				t.Fatal("the child does not end")
			}
			w := scene(t, before)
			finished = runChild(t, w, steps, test.fails)
			if err := workspace.Recover(w); err != nil {
				t.Fatalf("step %d: %v", steps, err)
			}
			got := tree(t, w.Dir)
			delete(got, "gone.txt/x") // left by the failure
			switch {
			case cmp.Equal(got, after):
				outcomes.WriteByte('n')
			case cmp.Equal(got, before), test.fails > 0 && cmp.Equal(got, without(before, "gone.txt")):
				outcomes.WriteByte('o')
			default:
				t.Fatalf("step %d, failure %d: neither old nor new:\n%s", steps, test.fails, cmp.Diff(before, got))
			}
			if left, err := filepath.Glob(filepath.Join(w.StateDir, "changes", "*")); err != nil || len(left) > 2 { // the lock, and perhaps a journal that had no effect yet
				t.Errorf("step %d: left %q, %v", steps, left, err)
			}
		}
		if !regexp.MustCompile(test.want).MatchString(outcomes.String()) {
			t.Errorf("failure %d: outcomes %s, want %s", test.fails, &outcomes, test.want)
		}
		t.Logf("failure %d: %s", test.fails, &outcomes)
	}
}

func without(files map[string]string, name string) map[string]string {
	files = maps.Clone(files)
	delete(files, name)
	return files
}

// runChild reports whether the child ended by itself.
func runChild(t *testing.T, w *tool.Workspace, steps, fails int) (finished bool) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), childRoot+"="+w.Dir, childState+"="+w.StateDir, fmt.Sprint(childSteps, "=", steps), fmt.Sprint(childFails, "=", fails))
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	var exit *exec.ExitError
	switch {
	case err == nil && fails == 0:
		return true
	case errors.As(err, &exit) && exit.ExitCode() == 3 && fails > 0:
		return true
	case errors.As(err, &exit) && exit.ExitCode() != 4 && exit.ExitCode() != 3 && exit.ExitCode() != 2:
		return false
	}
	t.Fatalf("the child with %d steps: %v\n%s", steps, err, &out)
	return true
}

func TestCommit(t *testing.T) {
	w := scene(t, before)
	set := workspace.New(w)
	if err := fill(set); err != nil {
		t.Fatal(err)
	}
	want := []string{"M a.txt", "M dir/b.txt", "A new/x.txt", "D from.txt", "A to/deep/to.txt", "D gone.txt"}
	if diff := cmp.Diff(want, set.Summary()); diff != "" {
		t.Errorf("Summary (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, tree(t, w.Dir)); diff != "" {
		t.Errorf("before Commit (-want +got):\n%s", diff)
	}
	if err := set.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(after, tree(t, w.Dir)); diff != "" {
		t.Errorf("after Commit (-want +got):\n%s", diff)
	}
	empty := workspace.New(w)
	if err := errors.Join(empty.Write("a.txt", "new a"), empty.Commit(t.Context())); err != nil || len(empty.Summary()) != 0 {
		t.Errorf("a set without a change: %v, %q", err, empty.Summary())
	}
}

func TestASetSeesItsChanges(t *testing.T) {
	w := scene(t, map[string]string{"a": "1"})
	s := workspace.New(w)
	if err := errors.Join(s.Remove("a"), s.Write("a", "2"), s.Write("b", "3"), s.Move("b", "c")); err != nil {
		t.Fatal(err)
	}
	if text, err := s.Read("a"); err != nil || text != "2" {
		t.Errorf("Read = %q, %v", text, err)
	}
	if exists, err := s.Exists("b"); err != nil || exists {
		t.Errorf("Exists = %t, %v", exists, err)
	}
	for _, err := range []error{s.Move("b", "d"), s.Move("c", "a")} {
		if err == nil {
			t.Error("Move of a missing file, or to a file that exists: no error")
		}
	}
	if _, err := s.Read("b"); err == nil {
		t.Error("Read of a moved file: no error")
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a": "2", "c": "3"}, tree(t, w.Dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAHardLinkIsReplaced: a hard link to a changed file keeps the old content.
func TestAHardLinkIsReplaced(t *testing.T) {
	w := scene(t, map[string]string{"a": "1"})
	outside := filepath.Join(filepath.Dir(w.Dir), "outside")
	if err := os.Link(filepath.Join(w.Dir, "a"), outside); err != nil {
		t.Fatal(err)
	}
	s := workspace.New(w)
	if err := errors.Join(s.Write("a", "2"), s.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(outside)
	if err != nil || string(text) != "1" {
		t.Errorf("the file outside = %q, %v", text, err)
	}
	both := workspace.New(w)
	if err := os.Link(filepath.Join(w.Dir, "a"), filepath.Join(w.Dir, "b")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(both.Write("a", "3"), both.Write("b", "4")); err == nil || !strings.Contains(err.Error(), "the same file") {
		t.Errorf("two names of one file: %v", err)
	}
}

func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	w := scene(t, map[string]string{"a": "1", "b": "1", "c": "1"})
	for name, mode := range map[string]fs.FileMode{"a": 0o600, "b": 0o640, "c": 0o755} {
		if err := os.Chmod(filepath.Join(w.Dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	s := workspace.New(w)
	err := errors.Join(s.Write("a", "2"), s.Move("b", "moved"), s.Write("c", "2"), s.SetMode("c", 0o644), s.Write("new", "x"), s.SetMode("new", 0o755),
		s.Write("plain", ""), s.Commit(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{"a": 0o600, "moved": 0o640, "c": 0o644} {
		if info, err := os.Stat(filepath.Join(w.Dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", name, info, err, want)
		}
	}
	for name, want := range map[string]bool{"new": true, "plain": false} {
		if info, err := os.Stat(filepath.Join(w.Dir, name)); err != nil || (info.Mode()&0o100 != 0) != want {
			t.Errorf("%s: %v, %v, want executable %t", name, info, err, want)
		}
	}
	locked := workspace.New(w)
	if err := os.Chmod(filepath.Join(w.Dir, "a"), 0o400); err != nil {
		t.Fatal(err)
	}
	if err := locked.Write("a", "3"); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("a read-only file: %v", err)
	}
}

// TestAnotherProgramChangesAFile: if a file changes between reading and Commit, nothing is written.
func TestAnotherProgramChangesAFile(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"changed": func(path string) error { return os.WriteFile(path, []byte("their text"), 0o600) },
		"removed": os.Remove,
		"folder":  func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			w := scene(t, map[string]string{"a": "1", "b": "1"})
			s := workspace.New(w)
			if err := errors.Join(s.Write("a", "2"), s.Write("b", "2"), s.Write("new", "2"), change(filepath.Join(w.Dir, "b"))); err != nil {
				t.Fatal(err)
			}
			theirs := tree(t, w.Dir)
			if err := s.Commit(t.Context()); err == nil {
				t.Error("Commit: no error")
			}
			if diff := cmp.Diff(theirs, tree(t, w.Dir)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	w := scene(t, nil)
	s := workspace.New(w)
	if err := errors.Join(s.Write("new", "2"), os.WriteFile(filepath.Join(w.Dir, "new"), []byte("theirs"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context()); err == nil || tree(t, w.Dir)["new"] != "theirs" {
		t.Errorf("a file that was created meanwhile: %v, %v", err, tree(t, w.Dir))
	}
}

func TestWithoutAFolderForTheJournal(t *testing.T) {
	w := scene(t, nil)
	w.StateDir = ""
	s := workspace.New(w)
	if err := errors.Join(s.Write("a", "1"), s.Commit(t.Context())); err == nil || !strings.Contains(err.Error(), "--data-dir") {
		t.Errorf("Commit: %v", err)
	}
	if err := workspace.Recover(w); err != nil {
		t.Errorf("Recover: %v", err)
	}
}

// TestAForeignJournal: a journal that another program has written is an error, and is not applied.
func TestAForeignJournal(t *testing.T) {
	for _, text := range []string{"", "{}", `{"phase": "moving", "root": "/", "stage": ".toolscript-x"}`, `{"phase": "staging", "root": "ROOT", "stage": "keep"}`} {
		w := scene(t, map[string]string{"keep/a": "1"})
		s := workspace.New(w)
		if err := errors.Join(s.Write("b", "1"), s.Commit(t.Context())); err != nil {
			t.Fatal(err)
		}
		locks, err := filepath.Glob(filepath.Join(w.StateDir, "changes", "*.lock"))
		if err != nil || len(locks) != 1 {
			t.Fatalf("locks %q, %v", locks, err)
		}
		journal := strings.TrimSuffix(locks[0], ".lock")
		if err := os.WriteFile(journal, []byte(strings.ReplaceAll(text, "ROOT", w.Real())), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := workspace.Recover(w); err == nil || !strings.Contains(err.Error(), journal) {
			t.Errorf("%q: %v", text, err)
		}
		next := workspace.New(w)
		if err := errors.Join(next.Write("b", "2"), next.Commit(t.Context())); err == nil || tree(t, w.Dir)["keep/a"] != "1" {
			t.Errorf("%q: Commit: %v", text, err)
		}
	}
}

// TestManyAtOnce: concurrent sets of changes do not mix.
func TestManyAtOnce(t *testing.T) {
	w := scene(t, map[string]string{"a": "0", "b": "0"})
	errs := make(chan error)
	for i := range 8 {
		go func() {
			s := workspace.New(w)
			text := strconv.Itoa(i + 1)
			errs <- errors.Join(s.Write("a", text), s.Write("b", text), s.Commit(context.Background()))
		}()
	}
	worked := 0
	for range 8 {
		if err := <-errs; err == nil {
			worked++
		} else if !strings.Contains(err.Error(), "meanwhile") {
			t.Error(err)
		}
	}
	got := tree(t, w.Dir)
	if worked == 0 || got["a"] != got["b"] || got["a"] == "0" || len(got) != 2 {
		t.Errorf("%d sets worked: %v", worked, got)
	}
}
