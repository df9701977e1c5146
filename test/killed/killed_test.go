// Package killed kills processes while they write to files that gateways share, and checks what other
// processes then read.
package killed

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var killedFor = flag.Duration("killed-for", 700*time.Millisecond, "how long writers of each file are killed")

// asWriter is the argument that makes this program a writer. The name of a file in files, and a folder,
// follow.
const asWriter = "be-a-writer"

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == asWriter {
		if err := written[os.Args[2]].writeForEver(os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// file is a file that several processes write.
type file struct {
	// write writes the version after the present one.
	write func(folder string) error
	// read returns the number of the present version, or 0. A mixture of versions is an error.
	read func(folder string) (int, error)
	slow time.Duration // duration of one write; 0: far below 20 ms
}

func (f file) writeForEver(folder string) error {
	for begun := false; ; begun = true {
		if err := f.write(folder); err != nil {
			return err
		}
		if !begun {
			fmt.Println("writing")
		}
		if _, err := os.Stat(filepath.Join(folder, stop)); err == nil {
			return nil
		}
	}
}

// TestKilledWriters: readers find either the old or the new content of each file while its writers are
// killed. The next writer removes what killed ones have left.
func TestKilledWriters(t *testing.T) {
	for name, f := range written {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "files")
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			r := &reader{file: f, folder: folder}
			kills, interrupted := 0, 0
			for begin := time.Now(); kills == 0 || time.Since(begin) < *killedFor; kills++ {
				if err := r.killOne(name); err != nil {
					t.Fatalf("after %d kills: %v", kills, err)
				}
				if n := len(left(t, folder)); n > 0 {
					interrupted++
					if n > 2 { // one of the writer just killed, and one that this writer found before its first write
						t.Fatalf("%d temporary files: %v", n, left(t, folder))
					}
				}
			}
			t.Logf("%d writers killed, %d of them with a temporary file; the last version is %d", kills, interrupted, r.last)
			if err := r.finish(name); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// reader reads a file and remembers the newest version that it has seen.
type reader struct {
	file
	folder string
	last   int
}

func (r *reader) check() error {
	n, err := r.read(r.folder)
	switch {
	case err != nil:
		return err
	case n < r.last:
		return fmt.Errorf("version %d, after version %d was read", n, r.last)
	}
	r.last = n
	return nil
}

// killOne starts a writer and kills it at a random moment of its writes. Until then, and afterwards, it
// reads the file.
func (r *reader) killOne(name string) error {
	w, err := start(name, r.folder)
	if err != nil {
		return err
	}
	defer w.kill()
	span := 20 * time.Millisecond
	if r.slow > 0 {
		span = r.slow
	} else if err := w.writing(); err != nil {
		return err
	}
	for kill := time.Now().Add(rand.N(span)); time.Now().Before(kill); {
		if err := r.check(); err != nil {
			return err
		}
	}
	w.kill()
	return r.check()
}

// finish lets one writer complete a write, and checks that it has removed what killed writers left.
func (r *reader) finish(name string) error {
	w, err := start(name, r.folder)
	if err != nil {
		return err
	}
	defer w.kill()
	if err := w.writing(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.folder, stop), nil, 0o600); err != nil {
		return err
	}
	if err := w.ended(); err != nil {
		return err
	}
	if err := r.check(); err != nil {
		return err
	}
	if r.last == 0 {
		return errors.New("no version was written")
	}
	if names, err := temporary(r.folder); err != nil || len(names) > 0 {
		return fmt.Errorf("temporary files after a complete write: %v, %w", names, err)
	}
	return nil
}

// stop is the name of a file that makes a writer end after its current write.
const stop = "stop"

// writer is a process that writes a file repeatedly.
type writer struct {
	cmd  *exec.Cmd
	out  *bufio.Reader
	dead bool
}

func start(name, folder string) (*writer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, asWriter, name, folder)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &writer{cmd: cmd, out: bufio.NewReader(out)}, cmd.Start()
}

// writing waits until the first write is complete.
func (w *writer) writing() error {
	line, err := w.out.ReadString('\n')
	if err == nil && line != "writing\n" {
		err = fmt.Errorf("the writer says %q", line)
	}
	return err
}

// ended waits for the end of a writer after stop was written.
func (w *writer) ended() error {
	w.dead = true
	return w.cmd.Wait()
}

func (w *writer) kill() {
	if !w.dead {
		w.dead = true
		_ = w.cmd.Process.Kill() // it may have ended already
		_ = w.cmd.Wait()         // killed, so an error is expected
	}
}

func left(t *testing.T, folder string) []string {
	t.Helper()
	names, err := temporary(folder)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// temporary returns the temporary files in a folder and its subfolders.
func temporary(folder string) (names []string, err error) {
	err = filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".tmp") {
			names = append(names, path)
		}
		return err
	})
	return names, err
}
