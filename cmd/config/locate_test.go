package config_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/cmd/config"
)

const empty = `{"mcpServers": {}}`

func TestLocate(t *testing.T) {
	for _, test := range []struct {
		name string
		// arrange writes the files of a case and returns the expected path of the project's file, or "".
		arrange func(s *scene) string
	}{
		{"no project", func(*scene) string { return "" }},
		{"in the working directory", func(s *scene) string { return s.write(s.project, empty) }},
		{"above the working directory", func(s *scene) string {
			s.workIn(s.project, "a", "b")
			return s.write(s.project, empty)
		}},
		{"the nearest alone", func(s *scene) string {
			s.workIn(s.project, "a", "b")
			s.write(s.project, empty)
			return s.write(filepath.Join(s.project, "a"), empty)
		}},
		{"not above the root of the repository", func(s *scene) string {
			s.write(filepath.Dir(s.project), empty)
			return ""
		}},
		{"above without a repository", func(s *scene) string {
			if err := os.Remove(filepath.Join(s.project, ".git")); err != nil {
				s.t.Fatal(err)
			}
			return s.write(filepath.Dir(s.project), empty)
		}},
		{"a worktree, whose .git is a file", func(s *scene) string {
			s.write(s.project, empty)
			s.workIn(s.project, "worktree")
			if err := os.WriteFile(filepath.Join(s.options.WorkDir, ".git"), nil, 0o600); err != nil {
				s.t.Fatal(err)
			}
			return ""
		}},
		{"not above home", func(s *scene) string {
			s.workIn(s.home, "a")
			s.write(filepath.Dir(s.home), empty)
			return ""
		}},
		{"below home", func(s *scene) string {
			s.options.WorkDir = filepath.Join(s.home, "a")
			return s.write(s.options.WorkDir, empty)
		}},
		{"in home, where it is the user's", func(s *scene) string {
			s.options.WorkDir = s.home
			s.write(s.home, empty)
			return ""
		}},
		{"through a link", func(s *scene) string {
			link := filepath.Join(s.home, "link")
			if err := os.Symlink(s.project, link); err != nil {
				s.t.Skip("links cannot be made here")
			}
			s.options.WorkDir = link
			return s.write(s.project, empty)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScene(t)
			want := []config.File{{Path: filepath.Join(s.home, config.FileName)}}
			if project := test.arrange(s); project != "" {
				want = append(want, config.File{Path: project, Project: true})
			}
			got, err := config.Locate(s.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Locate (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLocateNamed(t *testing.T) {
	s := newScene(t)
	s.write(s.project, empty)
	s.options.Config = "a.json, ~/b.json ,,/home/~user/c.json,a.json"
	if runtime.GOOS == "windows" {
		s.options.Config = "a.json, ~/b.json ,,a.json"
	}
	got, err := config.Locate(s.options)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(s.project, "a.json"), filepath.Join(s.home, "b.json")}
	if runtime.GOOS != "windows" {
		want = append(want, "/home/~user/c.json")
	}
	if diff := cmp.Diff(want, config.Paths(got)); diff != "" {
		t.Errorf("Paths (-want +got):\n%s", diff)
	}
}

// TestLocatePathsWithCommas: a comma separates paths, unless it is part of an existing path.
func TestLocatePathsWithCommas(t *testing.T) {
	s := newScene(t)
	inFolder := filepath.Join("Acme, Inc", "a,b.json")
	mustMkdir(t, filepath.Join(s.project, "Acme, Inc"))
	for _, path := range []string{inFolder, "x.json", "y.json", "y.json,z.json"} {
		if err := os.WriteFile(filepath.Join(s.project, path), []byte(empty), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for list, want := range map[string][]string{
		inFolder:                         {inFolder},
		"x.json," + inFolder + ",y.json": {"x.json", inFolder, "y.json"},
		"x.json, y.json":                 {"x.json", "y.json"},
		"x.json,y.json,z.json":           {"x.json", "y.json,z.json"},
		"Acme, Inc/new.json":             {"Acme, Inc/new.json"}, // init creates it
		"new.json,other.json":            {"new.json", "other.json"},
		",x.json,,":                      {"x.json"},
		"x.json,x.json":                  {"x.json"},
	} {
		s.options.Config = list
		files, err := config.Locate(s.options)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range files {
			path, err := filepath.Rel(s.project, f.Path)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, path)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", list, diff)
		}
	}
}

func TestLocateWithoutHome(t *testing.T) {
	s := newScene(t)
	project := s.write(s.project, empty)
	delete(s.env, "HOME")
	delete(s.env, "USERPROFILE")
	files, err := config.Locate(s.options)
	if err != nil || len(files) != 1 || files[0].Path != project {
		t.Errorf("Locate = %+v, %v; want the project's file alone", files, err)
	}
	s.options.Config = "~/x.json"
	if _, err := config.Locate(s.options); err == nil {
		t.Error("Locate expands ~ without a home")
	} else {
		wantText(t, err.Error(), "cannot expand ~ in ~/x.json")
	}
}

func TestDataDir(t *testing.T) {
	s := newScene(t)
	for _, test := range []struct{ name, flag, variable, want string }{
		{"default", "", "", filepath.Join(s.home, ".toolscript")},
		{"variable", "", "~/data", filepath.Join(s.home, "data")},
		{"flag", "data", "~/data", filepath.Join(s.project, "data")},
	} {
		t.Run(test.name, func(t *testing.T) {
			s.options.DataDir, s.env["TOOLSCRIPT_DATA_DIR"] = test.flag, test.variable
			if got, err := config.DataDir(s.options); err != nil || got != test.want {
				t.Errorf("DataDir = %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

// workIn makes the working directory.
func (s *scene) workIn(path ...string) {
	s.t.Helper()
	s.options.WorkDir = filepath.Join(path...)
	mustMkdir(s.t, s.options.WorkDir)
}

func mustMkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
}
