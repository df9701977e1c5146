package discovery_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/discovery"
)

const capability = "http://127.0.0.1:4711/c4p4b1l1ty"

func TestWriteListRemove(t *testing.T) {
	folder := discovery.In(filepath.Join(t.TempDir(), "a", "run"))
	if got := list(t, folder); len(got) != 0 {
		t.Errorf("a folder that does not exist lists %v", got)
	}
	began := time.Date(2025, 11, 21, 12, 0, 0, 0, time.UTC)
	written := write(t, folder, discovery.Entry{URL: capability, Session: "s", Config: []string{"/a", "/b"}, StartedAt: began})
	if written.PID != os.Getpid() || written.StartTime == 0 || written.Version != toolscript.Version || written.Protocol != toolscript.Protocol {
		t.Errorf("Write filled in %+v", written)
	}
	text, err := os.ReadFile(filepath.Join(pathOf(folder), pidName(written)))
	if want := strconv.Itoa(os.Getpid()) + "\n"; err != nil || string(text) != want {
		t.Errorf("pid file = %q, %v; want %q", text, err, want)
	}
	if diff := cmp.Diff([]discovery.Entry{written}, list(t, folder)); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
	again := write(t, folder, discovery.Entry{URL: capability + "2"})
	if diff := cmp.Diff([]discovery.Entry{again}, list(t, folder)); diff != "" {
		t.Errorf("List after the second Write (-want +got):\n%s", diff)
	}
	for range 2 {
		if err := folder.Remove(again); err != nil {
			t.Fatal(err)
		}
	}
	if got := list(t, folder); len(got) != 0 {
		t.Errorf("List after Remove = %v, want none", got)
	}
}

func TestEntriesArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
	folder := discovery.In(filepath.Join(t.TempDir(), "run"))
	own := write(t, folder, discovery.Entry{URL: capability})
	for path, want := range map[string]os.FileMode{
		pathOf(folder): 0o700, filepath.Join(pathOf(folder), fileName(own)): 0o600, filepath.Join(pathOf(folder), pidName(own)): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("mode of %s = %o, want %o", path, got, want)
		}
	}
}

func TestListRefusesAFolderThatOthersCanWriteTo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
	folder := discovery.In(t.TempDir())
	if err := os.Chmod(pathOf(folder), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.List(); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("List = %v, want an error", err)
	}
}

func TestWriteIntoAnUnwritableFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := discovery.In(filepath.Join(file, "run")).Write(discovery.Entry{URL: capability})
	if err == nil || !strings.Contains(err.Error(), "TOOLSCRIPT_RUNTIME_DIR") || strings.Contains(err.Error(), capability) {
		t.Errorf("Write = %v, want what to do and no capability", err)
	}
}

func TestListRemovesStaleEntriesAlone(t *testing.T) {
	folder := discovery.In(t.TempDir())
	own := write(t, folder, discovery.Entry{URL: capability})
	reused, elsewhere, sandboxed := own, own, own
	reused.StartTime++ // as if the process id of an ended process was reused
	elsewhere.PID, elsewhere.Host = 1<<30, "another machine"
	sandboxed.PID, sandboxed.PIDNamespace = 1<<30+1, "pid:[1]"
	gone := own
	gone.PID = 1<<30 + 2
	for _, e := range []discovery.Entry{reused, elsewhere, sandboxed, gone} {
		processScope(t, folder, fileName(e), e)
	}
	processScope(t, folder, pidName(gone), gone)
	processScope(t, folder, "toolscript-gateway-1-1.json", own) // the name does not match the entry
	for _, name := range []string{"toolscript-gateway-2-2.json", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(pathOf(folder), name), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]bool{}
	for _, e := range list(t, folder) {
		got[fileName(e)] = true
	}
	want := map[string]bool{fileName(own): true, fileName(sandboxed): true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
	left := map[string]bool{}
	files, err := os.ReadDir(pathOf(folder))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		left[file.Name()] = true
	}
	want = map[string]bool{
		fileName(own): true, pidName(own): true, fileName(sandboxed): true, fileName(elsewhere): true,
		"toolscript-gateway-1-1.json": true, "toolscript-gateway-2-2.json": true, "notes.txt": true,
	}
	if diff := cmp.Diff(want, left); diff != "" {
		t.Errorf("files after List (-want +got):\n%s", diff)
	}
}

// pathOf returns the path of the only folder.
func pathOf(places discovery.Places) string { return places.Folders()[0] }

func write(t *testing.T, folder discovery.Places, e discovery.Entry) discovery.Entry {
	t.Helper()
	written, err := folder.Write(e)
	if err != nil {
		t.Fatal(err)
	}
	return written
}

func list(t *testing.T, folder discovery.Places) []discovery.Entry {
	t.Helper()
	entries, err := folder.List()
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func lookup(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}
}

// processScope writes the entry of another process to a folder.
func processScope(t *testing.T, folder discovery.Places, name string, e discovery.Entry) {
	t.Helper()
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(pathOf(folder), name), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func fileName(e discovery.Entry) string {
	return fmt.Sprintf("toolscript-gateway-%d-%d.json", e.PID, e.StartTime)
}

func pidName(e discovery.Entry) string {
	return strings.TrimSuffix(fileName(e), ".json") + ".pid"
}

func TestPrune(t *testing.T) {
	folder := discovery.In(t.TempDir())
	own := write(t, folder, discovery.Entry{URL: capability})
	gone := own
	gone.PID = 1 << 30
	processScope(t, folder, fileName(gone), gone)
	for range 2 { // Look removes nothing
		running, ended, err := folder.Look()
		if err != nil || len(running) != 1 || len(ended) != 1 || ended[0].PID != gone.PID {
			t.Errorf("Look = %v, %v, %v", running, ended, err)
		}
	}
	for _, want := range [][]int{{gone.PID}, nil} {
		ended, _, err := folder.Prune()
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, e := range ended {
			got = append(got, e.PID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Prune (-want +got):\n%s", diff)
		}
	}
	if left := list(t, folder); len(left) != 1 {
		t.Errorf("List = %v after Prune, want the gateway that runs", left)
	}
}

// TestSweep: Sweep removes files that a killed gateway has left without an entry, and no
// others. List does the same, without returning an entry for them.
func TestSweep(t *testing.T) {
	const process = "toolscript-gateway-1073741824-1"
	old := time.Now().Add(-time.Hour)
	for name, of := range map[string]struct {
		files   map[string]string
		removed []string
	}{
		"a process id alone":        {map[string]string{process + ".pid": "1"}, []string{process + ".pid"}},
		"not renamed":               {map[string]string{"." + process + ".json.123.tmp": "{", "." + process + ".pid.1.tmp": ""}, []string{"." + process + ".json.123.tmp", "." + process + ".pid.1.tmp"}},
		"no JSON":                   {map[string]string{process + ".json": "", process + ".pid": "1"}, []string{process + ".json", process + ".pid"}},
		"an entry of another host":  {map[string]string{process + ".json": `{"host":"another"}`, process + ".pid": "1"}, nil},
		"files of another program":  {map[string]string{"other.pid": "1", ".other.json-1": "", "other.json": ""}, nil},
		"the lock of a start":       {map[string]string{"toolscript-start-1f.lock": ""}, []string{"toolscript-start-1f.lock"}},
		"a start of this moment":    {map[string]string{"newtoolscript-start-1f.lock": ""}, nil},
		"a copy with another name":  {map[string]string{process + ".json.bak": "{"}, nil},
		"being written: not so old": {map[string]string{"new." + process + ".json.123.tmp": "{", "new" + process + ".json": ""}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			folder := discovery.In(t.TempDir())
			for file, text := range of.files {
				file, fresh := strings.CutPrefix(file, "new")
				path := filepath.Join(pathOf(folder), file)
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				if fresh {
					continue
				}
				if err := os.Chtimes(path, old, old); err != nil {
					t.Fatal(err)
				}
			}
			ended, removed, err := folder.Prune()
			if err != nil || len(ended) > 0 {
				t.Errorf("Prune: %v, %v", ended, err)
			}
			for i, path := range removed {
				removed[i] = filepath.Base(path)
			}
			if diff := cmp.Diff(of.removed, removed); diff != "" {
				t.Errorf("removed (-want +got):\n%s", diff)
			}
			if len(list(t, folder)) > 0 {
				t.Error("List returns an entry")
			}
		})
	}
}
