package audit_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript/actors/audit"
)

var start = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

func entry(n int) []byte {
	return fmt.Appendf(nil, `{"type":"call","time":%q,"n":%d}`, start.Add(time.Duration(n)*time.Second).Format(time.RFC3339), n)
}

func add(t *testing.T, w *audit.ChainWriter, now time.Time, from, to int) {
	t.Helper()
	for n := from; n < to; n++ {
		if err := w.Append([][]byte{entry(n)}, now); err != nil {
			t.Fatal(err)
		}
	}
}

func verify(t *testing.T, dir string) audit.ChainReport {
	t.Helper()
	r, err := audit.Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func intact(t *testing.T, dir string, lines int64) audit.ChainReport {
	t.Helper()
	r := verify(t, dir)
	if r.Fault != nil || r.Lines != lines {
		t.Fatalf("Verify = %+v, fault %v, want %d lines and no fault", r, r.Fault, lines)
	}
	return r
}

const first = "audit-00000001.jsonl"

func TestAppend(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	intact(t, dir, 0) // the folder does not exist
	w := audit.NewChainWriter(audit.ChainOptions{Dir: dir})
	defer w.Close()
	add(t, w, start, 0, 5)
	intact(t, dir, 6) // and the first line of the file
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, first): 0o600, filepath.Join(dir, "head.json"): 0o600, filepath.Join(dir, "lock"): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, %v, want %v", path, info.Mode().Perm(), err, want)
		}
	}
	if f := w.File(); f != first {
		t.Errorf("File = %q", f)
	}
}

// TestFaults changes a chain of two files in every way, and looks for the place.
func TestFaults(t *testing.T) {
	const second = "audit-00000002.jsonl"
	edit := func(file string, f func(lines []string) []string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			path := filepath.Join(dir, file)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines := f(strings.SplitAfter(string(text), "\n"))
			if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	remove := func(file string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			if err := os.Remove(filepath.Join(dir, file)); err != nil {
				t.Fatal(err)
			}
		}
	}
	change := func(at int) func([]string) []string {
		return func(l []string) []string { l[at] = strings.Replace(l[at], `"n":`, `"n":1`, 1); return l }
	}
	for _, tt := range []struct {
		name    string
		harm    func(*testing.T, string)
		file    string
		line    int
		problem string
	}{
		{"a changed line", edit(first, change(2)), first, 3, "changed"},
		{"a missing line", edit(first, func(l []string) []string { return slices.Delete(l, 2, 3) }), first, 3, "1 lines before this one are missing"},
		{"an added line", edit(first, func(l []string) []string { return slices.Insert(l, 2, l[1]) }), first, 3, "number"},
		{"swapped lines", edit(first, func(l []string) []string { l[2], l[3] = l[3], l[2]; return l }), first, 3, "missing"},
		{"a line that is no JSON", edit(first, func(l []string) []string { l[2] = "x\n"; return l }), first, 3, "not a line of the audit"},
		{"the last line of the first file changed", edit(first, change(4)), second, 1, "previous file was changed"},
		{"the last line of the first file missing", edit(first, func(l []string) []string { return l[:4] }), second, 1, "missing"},
		{"the first file missing", remove(first), first, 0, "missing"},
		{"the last line missing", edit(second, func(l []string) []string { return l[:len(l)-2] }), second, 4, "1 lines are missing at the end"},
		{"the last line changed", edit(second, func(l []string) []string { return change(3)(l) }), second, 4, "changed"},
		{"the last file missing", remove(second), second, 6, "lines are missing at the end"},
		{"the head missing", remove("head.json"), "head.json", 0, "missing"},
		{"the head damaged", edit("head.json", func([]string) []string { return []string{"{}"} }), "head.json", 0, "damaged"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			w := audit.NewChainWriter(audit.ChainOptions{Dir: dir})
			defer w.Close()
			add(t, w, start, 0, 4)
			add(t, w, start.Add(25*time.Hour), 4, 7)
			intact(t, dir, 9)
			tt.harm(t, dir)
			f := verify(t, dir).Fault
			if f == nil || filepath.Base(f.File) != tt.file || f.Line != tt.line || !strings.Contains(f.Problem, tt.problem) {
				t.Fatalf("fault %v, want %s:%d: … %s", f, tt.file, tt.line, tt.problem)
			}
			// A gateway that continues the chain must not hide the fault.
			again := audit.NewChainWriter(audit.ChainOptions{Dir: dir})
			defer again.Close()
			add(t, again, start.Add(26*time.Hour), 7, 9)
			if f := verify(t, dir).Fault; f == nil {
				t.Error("after two more lines the fault does not show")
			}
		})
	}
}

// TestTornLine cuts the files where a kill can: in a line, after lines without the head,
// and in the first line of a file.
func TestTornLine(t *testing.T) {
	dir := t.TempDir()
	options := audit.ChainOptions{Dir: dir}
	w := audit.NewChainWriter(options)
	add(t, w, start, 0, 2)
	head, err := os.ReadFile(filepath.Join(dir, "head.json"))
	if err != nil {
		t.Fatal(err)
	}
	add(t, w, start, 2, 4)
	w.Close()
	path := filepath.Join(dir, first)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put := func(text, head []byte) {
		t.Helper()
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "head.json"), head, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	whole := bytes.SplitAfter(text, []byte("\n"))
	lastTwo := len(whole[3]) + len(whole[4])
	for cut := range lastTwo + 1 {
		put(text[:len(text)-cut], head)
		r := verify(t, dir)
		if r.Fault != nil {
			t.Fatalf("cut %d bytes: %v", cut, r.Fault)
		}
		again := audit.NewChainWriter(options)
		add(t, again, start, 10, 12)
		again.Close()
		if r = verify(t, dir); r.Fault != nil {
			t.Fatalf("cut %d bytes, then two lines: %v", cut, r.Fault)
		}
		torn := 1
		if cut <= 1 || cut == len(whole[4]) || cut == len(whole[4])+1 || cut == lastTwo {
			torn = 0
		}
		if r.Torn != torn {
			t.Errorf("cut %d bytes: %d torn lines, want %d", cut, r.Torn, torn)
		}
	}
	put(text[:len(text)-20], head)
	again := audit.NewChainWriter(options)
	add(t, again, start, 10, 11)
	again.Close()
	torn, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(torn, []byte("\n"))
	lines[4] = bytes.Replace(lines[4], []byte("call"), []byte("cal"), 1)
	if err := os.WriteFile(path, bytes.Join(lines, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	if f := verify(t, dir).Fault; f == nil || f.Line != 5 {
		t.Errorf("a changed torn line: %v, want a fault in line 5", f)
	}
}

func TestTornFirstLine(t *testing.T) {
	dir := t.TempDir()
	w := audit.NewChainWriter(audit.ChainOptions{Dir: dir})
	add(t, w, start, 0, 2)
	w.Close()
	for _, text := range []string{"", `{"seq":`} {
		if err := os.WriteFile(filepath.Join(dir, "audit-00000002.jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		again := audit.NewChainWriter(audit.ChainOptions{Dir: dir})
		add(t, again, start, 2, 4)
		again.Close()
		if f := verify(t, dir).Fault; f != nil {
			t.Fatalf("second file %q: %v", text, f)
		}
		if err := os.Remove(filepath.Join(dir, "audit-00000002.jsonl")); err != nil {
			t.Fatal(err)
		}
		if f := verify(t, dir).Fault; f == nil {
			t.Fatal("the second file is missing, and that does not show")
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		w := audit.NewChainWriter(audit.ChainOptions{Dir: dir})
		add(t, w, start, 0, 2)
		w.Close()
	}
}

func TestRotation(t *testing.T) {
	dir := t.TempDir()
	w := audit.NewChainWriter(audit.ChainOptions{Dir: dir, FileBytes: 1000, KeepBytes: 5000})
	defer w.Close()
	add(t, w, start, 0, 100)
	r := verify(t, dir)
	if r.Fault != nil || r.Pruned == 0 || r.Files < 3 || r.Files > 6 {
		t.Errorf("Verify = %+v, fault %v", r, r.Fault)
	}
	names, err := filepath.Glob(filepath.Join(dir, "audit-*.jsonl"))
	if err != nil || len(names) != r.Files {
		t.Fatalf("files %q, %v", names, err)
	}
	if err := os.Remove(names[0]); err != nil {
		t.Fatal(err)
	}
	if f := verify(t, dir).Fault; f == nil || f.File != names[0] {
		t.Errorf("the oldest file was removed: fault %v", f)
	}
	w.Close()

	dir = t.TempDir()
	w = audit.NewChainWriter(audit.ChainOptions{Dir: dir, KeepAge: 48 * time.Hour})
	defer w.Close()
	for day := range 6 {
		add(t, w, start.Add(time.Duration(day)*25*time.Hour), day, day+1)
	}
	if r := verify(t, dir); r.Fault != nil || r.Files != 2 || r.Pruned == 0 {
		t.Errorf("a file a day, kept for two days: %+v, fault %v, want 2 files", r, r.Fault)
	}
}

// TestSeveralWriters writes one chain from several writers at once.
func TestSeveralWriters(t *testing.T) {
	dir := t.TempDir()
	const writers, each = 4, 100
	var group sync.WaitGroup
	for i := range writers {
		group.Go(func() {
			w := audit.NewChainWriter(audit.ChainOptions{Dir: dir, FileBytes: 20_000})
			defer w.Close()
			for n := range each {
				for w.Append([][]byte{entry(i*each + n)}, start) != nil { // the lock was not free for two seconds
				}
			}
		})
	}
	group.Wait()
	r := verify(t, dir)
	if r.Fault != nil {
		t.Fatal(r.Fault)
	}
	calls := 0
	if err := audit.ChainLines(dir, func(l audit.ChainLine) {
		if l.Type == "call" {
			calls++
		}
	}); err != nil || calls != writers*each {
		t.Errorf("%d lines, %v, want %d", calls, err, writers*each)
	}
}

// TestKill kills processes that write, and continues after each.
func TestKill(t *testing.T) {
	if dir := os.Getenv("CHAIN_DIR"); dir != "" {
		w := audit.NewChainWriter(audit.ChainOptions{Dir: dir, FileBytes: 50_000})
		for n := 0; ; n++ {
			if err := w.Append([][]byte{entry(n), entry(n), entry(n)}, start); err != nil {
				fmt.Println(err)
				return
			}
			if n == 20 {
				fmt.Println("writing")
			}
		}
	}
	dir := t.TempDir()
	for range 8 {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKill$")
		c.Env = append(os.Environ(), "CHAIN_DIR="+dir)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "writing\n" {
			t.Fatalf("the process says %q, %v", line, err)
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait() // it was killed
		if f := verify(t, dir).Fault; f != nil {
			t.Fatal(f)
		}
	}
}
