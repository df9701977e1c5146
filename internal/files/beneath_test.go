package files_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/toolscript/toolscript/internal/files"
)

// scene is a folder with a project and a home folder. The home folder contains a key.
type scene struct {
	*testing.T
	project, home string
}

const secret = "the key"

func newScene(t *testing.T) scene {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := scene{t, filepath.Join(top, "project"), filepath.Join(top, "home")}
	s.write("project/docs/file", "text")
	s.write("home/keys/file", secret)
	return s
}

func (s scene) path(name string) string { return filepath.Join(filepath.Dir(s.project), name) }

func (s scene) write(name, text string) {
	s.Helper()
	path := s.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

func (s scene) link(target, name string) {
	s.Helper()
	if runtime.GOOS == "windows" {
		s.Skip("links need a right on Windows")
	}
	if err := os.Symlink(target, s.path(name)); err != nil {
		s.Fatal(err)
	}
}

// read reads a file with Open, Root and Hold. It returns the texts and the errors.
func read(f files.Folder, folder string) (texts []string, errs []error) {
	file, err := f.Open(filepath.Join(folder, "file"))
	texts, errs = add(texts, errs, file, err)
	if root, err := f.Root(folder); err != nil {
		errs = append(errs, err)
	} else {
		file, err := root.Open("file")
		texts, errs = add(texts, errs, file, err)
		_ = root.Close()
	}
	held, err := f.Hold(folder)
	if err != nil {
		return texts, append(errs, err)
	}
	defer held.Close()
	file, err = os.Open(filepath.Join(held.Path(), "file"))
	return add(texts, errs, file, err)
}

func add(texts []string, errs []error, file *os.File, err error) ([]string, []error) {
	if err != nil {
		return texts, append(errs, err)
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(file)
	if err != nil {
		return texts, append(errs, err)
	}
	return append(texts, string(text)), errs
}

// TestLinksOut: Folder refuses links that lead out of the project, whatever their form.
func TestLinksOut(t *testing.T) {
	s := newScene(t)
	s.link(s.home+"/keys", "project/absolute")
	s.link("../home/keys", "project/relative")
	s.link("relative", "project/twice")
	s.link("..", "project/up")
	s.link("docs/../../home/keys", "project/through")
	s.write("project/sub/deep/file", "text")
	s.link("../../../home", "project/sub/deep/home")
	s.link("/proc/self/root"+s.home+"/keys", "project/proc")
	folder := files.Folder{Dir: s.project}
	for _, name := range []string{"absolute", "relative", "twice", "up/home/keys", "through", "sub/deep/home/keys", "./docs/../relative", "proc"} {
		texts, errs := read(folder, filepath.Join(s.project, name))
		if len(texts) > 0 || len(errs) != 3 {
			t.Errorf("%s: %q, %v", name, texts, errs)
		}
		for _, err := range errs {
			if link := (*files.LinkError)(nil); !errors.As(err, &link) || !strings.Contains(err.Error(), "leads to "+link.Target) || !strings.HasPrefix(link.Target, s.home+"/keys") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	// By another name of the project.
	s.link(s.project, "alias")
	if texts, errs := read(folder, s.path("alias/relative")); len(texts) > 0 || len(errs) != 3 {
		t.Errorf("%q, %v", texts, errs)
	}
}

// TestAllowed: Folder opens files, folders and links in the project, paths that the user wrote, and links to such paths.
func TestAllowed(t *testing.T) {
	s := newScene(t)
	s.link("docs", "project/inside")
	s.link(s.project+"/docs", "project/absolute")
	s.link("../project/docs", "project/around")
	s.link(s.home+"/keys", "project/keys")
	s.link("../home/keys", "project/sub")
	for _, test := range []struct {
		folder files.Folder
		path   string
		want   string
	}{
		{files.Folder{Dir: s.project}, s.project + "/docs", "text"},
		{files.Folder{Dir: s.project}, s.project + "/inside", "text"},
		{files.Folder{Dir: s.project}, s.project + "/absolute", "text"},
		{files.Folder{Dir: s.project}, s.project + "/around", "text"},
		{files.Folder{Dir: s.project}, s.home + "/keys", secret}, // the configuration names a path outside
		{files.Folder{Dir: s.project, Named: []string{s.home + "/keys"}}, s.project + "/keys", secret},
		{files.Folder{Dir: s.project, Named: []string{s.home}}, s.project + "/sub", secret},
		{files.Folder{}, s.project + "/keys", secret}, // a file of the user, not of a project
	} {
		texts, errs := read(test.folder, test.path)
		if len(errs) > 0 || len(texts) != 3 || texts[0] != test.want || texts[1] != test.want || texts[2] != test.want {
			t.Errorf("%s: %q, %v", test.path, texts, errs)
		}
	}
	if _, errs := read(files.Folder{Dir: s.project, Named: []string{s.home + "/keys/file"}}, s.project+"/keys"); len(errs) != 2 {
		t.Errorf("only one file of the folder is named: %v", errs)
	}
	if held, err := (files.Folder{Dir: s.project}).Hold(s.project + "/missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, %v", held, err)
	}
}

// TestSwapped replaces a folder by a link again and again while Folder uses it.
func TestSwapped(t *testing.T) {
	s := newScene(t)
	s.link(s.home+"/keys", "project/link")
	folder := files.Folder{Dir: s.project}
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !stop.Load() {
			_ = os.Rename(s.project+"/docs", s.project+"/other")
			_ = os.Rename(s.project+"/link", s.project+"/docs")
			_ = os.Rename(s.project+"/docs", s.project+"/link")
			_ = os.Rename(s.project+"/other", s.project+"/docs")
		}
	}()
	found := 0
	for range 3000 {
		texts, _ := read(folder, s.project+"/docs")
		for _, text := range texts {
			if found++; text != "text" {
				t.Errorf("read %q", text)
			}
		}
	}
	stop.Store(true)
	<-done
	if found == 0 {
		t.Error("nothing was ever read")
	}
}
