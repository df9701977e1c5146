package pin_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/toolscript/toolscript/actors/pin"
)

// TestMain can make the test binary a process that pins tools until it is killed.
func TestMain(m *testing.M) {
	if folder := os.Getenv("PIN_WITHOUT_END"); folder != "" {
		for i := 0; ; i++ {
			if err := pin.Folder(folder).Update("s", "f", add(i%50)); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			fmt.Println("pinned")
		}
	}
	os.Exit(m.Run())
}

// add returns an update that pins one tool with a long text.
func add(i int) func(*pin.Record) *pin.Record {
	return func(r *pin.Record) *pin.Record {
		next := pin.Record{Server: "s", Source: "f", Identity: "i", Tools: map[string]string{}}
		texts := pin.Texts{Program: "p", Tools: map[string]pin.Text{}}
		if r != nil {
			next.Tools, texts = r.Tools, r.Texts()
		}
		name := fmt.Sprintf("t%d", i)
		next.Tools[name], texts.Tools[name] = "hash", pin.Text{Description: strings.Repeat(name+" ", 500)}
		next.Texts = func() pin.Texts { return texts }
		return &next
	}
}

func TestStore(t *testing.T) {
	f := pin.Folder(filepath.Join(t.TempDir(), "pins"))
	if r, err := f.Load("s", "f"); r != nil || err != nil {
		t.Fatalf("Load of nothing = %+v, %v", r, err)
	}
	if same, err := f.Same("f", "i"); len(same) != 0 || err != nil {
		t.Fatalf("Same of nothing = %+v, %v", same, err)
	}
	if err := f.Update("s", "f", add(1)); err != nil {
		t.Fatal(err)
	}
	r, err := f.Load("s", "f")
	if err != nil || r.Tools["t1"] != "hash" || r.Texts().Tools["t1"].Description == "" || r.Texts().Program != "p" {
		t.Fatalf("Load = %+v, %v", r, err)
	}
	if r, err := f.Load("s", "other"); r != nil || err != nil {
		t.Errorf("Load of another file of the configuration = %+v, %v", r, err)
	}
	if same, err := f.Same("f", "i"); len(same) != 1 || err != nil {
		t.Errorf("Same = %+v, %v", same, err)
	}
	if same, err := f.Same("other", "i"); len(same) != 0 || err != nil {
		t.Errorf("Same of another file = %+v, %v", same, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	err = filepath.Walk(string(f), func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("others may use %s: %s", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestSeveralProcesses: no update is lost if several processes write.
func TestSeveralProcesses(t *testing.T) {
	folder := t.TempDir()
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() { // each opens the lock anew, like a process
			if err := pin.Folder(folder).Update("s", "f", add(i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	r, err := pin.Folder(folder).Load("s", "f")
	if err != nil || len(r.Tools) != 40 || len(r.Texts().Tools) != 40 {
		t.Errorf("after 40 updates: %+v, %v", r, err)
	}
}

// TestKilled: if a process is killed while it writes, the pins stay complete and no lock is left.
func TestKilled(t *testing.T) {
	folder := t.TempDir()
	for range 10 {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "PIN_WITHOUT_END="+folder)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; n < 5 && lines.Scan(); n++ {
			if lines.Text() != "pinned" {
				t.Error(lines.Text())
			}
		}
		_ = c.Process.Kill() // at any point of an update
		_ = c.Wait()         // killed, so an error is expected
		if r, err := pin.Folder(folder).Load("s", "f"); err != nil || len(r.Tools) == 0 || len(r.Texts().Tools) != len(r.Tools) {
			t.Fatalf("after the kill: %+v, %v", r, err)
		}
	}
	if err := pin.Folder(folder).Update("s", "f", add(60)); err != nil {
		t.Errorf("after the kills: %v", err)
	}
}

// TestDamaged: unreadable pins are an error, and the next update replaces them.
func TestDamaged(t *testing.T) {
	folder := t.TempDir()
	f := pin.Folder(folder)
	if err := f.Update("s", "f", add(1)); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %q, %v", files, err)
	}
	for _, text := range []string{"", "{", `{"format":99,"tools":{}}`} {
		if err := os.WriteFile(files[0], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := f.Load("s", "f"); err == nil {
			t.Errorf("Load of %q = %+v", text, r)
		}
	}
	if err := f.Update("s", "f", add(2)); err != nil {
		t.Fatal(err)
	}
	if r, err := f.Load("s", "f"); err != nil || len(r.Tools) != 1 {
		t.Errorf("Load = %+v, %v", r, err)
	}
}

// TestMark: after an agent's change of the user's file, the servers in it are marked, and no others.
func TestMark(t *testing.T) {
	f := pin.Folder(filepath.Join(t.TempDir(), "pins"))
	if err := f.Mark(); err != nil {
		t.Fatal(err)
	}
	for server, written := range map[string]string{"own": "1", "project": ""} {
		if err := f.Update(server, "f", func(*pin.Record) *pin.Record {
			return &pin.Record{Server: server, Source: "f", Identity: "i", Written: written, Tools: map[string]string{"t": "hash"}}
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Mark(); err != nil {
		t.Fatal(err)
	}
	for server, want := range map[string]string{"own": pin.Foreign, "project": ""} {
		if r, err := f.Load(server, "f"); err != nil || r == nil || r.Written != want || r.Tools["t"] != "hash" {
			t.Errorf("%s: %+v, %v; want %q", server, r, err, want)
		}
	}
}
