package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
)

// scene holds a home folder, a project inside a repository, and an environment.
type scene struct {
	t             *testing.T
	home, project string
	options       config.Options
	env           map[string]string
}

func newScene(t *testing.T) *scene {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{t: t, home: filepath.Join(root, "home"), project: filepath.Join(root, "project"), env: map[string]string{}}
	for _, dir := range []string{s.home, filepath.Join(s.project, ".git")} {
		mustMkdir(t, dir)
	}
	s.env["HOME"], s.env["USERPROFILE"] = s.home, s.home
	s.options = config.Options{WorkDir: s.project, LookupEnv: func(name string) (string, bool) {
		value, ok := s.env[name]
		return value, ok
	}}
	return s
}

// write writes a configuration file into a folder and returns its path.
func (s *scene) write(dir, text string) string {
	s.t.Helper()
	path := filepath.Join(dir, config.FileName)
	mustMkdir(s.t, dir)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// layout writes the texts of the user's, the project's and a named file, each unless it is "".
func (s *scene) layout(user, project, named string) {
	s.t.Helper()
	folder := filepath.Join(s.project, "named")
	for dir, text := range map[string]string{s.home: user, s.project: project, folder: named} {
		if text != "" {
			s.write(dir, text)
		}
	}
	if named != "" {
		s.options.Config = filepath.Join(folder, config.FileName)
	}
}

// trust trusts the current content of the project's file.
func (s *scene) trust() {
	s.t.Helper()
	review, err := config.ReviewTrust(s.options, "")
	if err != nil {
		s.t.Fatal(err)
	}
	if err := review.Accept(); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) load() *config.Config {
	s.t.Helper()
	c, err := config.Load(s.options)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// loadText loads a text as the user's configuration file.
func loadText(t *testing.T, text string) (*config.Config, error) {
	t.Helper()
	s := newScene(t)
	s.write(s.home, text)
	return config.Load(s.options)
}

func mustLoad(t *testing.T, text string) *config.Config {
	t.Helper()
	c, err := loadText(t, text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// mistakes loads a text as the user's file and returns its mistakes. loaded is nil if nothing was loaded.
func mistakes(t *testing.T, text string) (loaded *config.Config, all config.Mistakes) {
	t.Helper()
	loaded, err := loadText(t, text)
	if err == nil {
		return loaded, loaded.Mistakes
	}
	if !errors.As(err, &all) || toolscript.KindOf(err) != toolscript.Invalid {
		t.Fatalf("Load = %v, want Mistakes", err)
	}
	return nil, all
}

// wantText checks that the text contains every part.
func wantText(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not contain %q", text, part)
		}
	}
}
