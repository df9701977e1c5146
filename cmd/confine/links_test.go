package confine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolscript/toolscript/cmd/confine"
	"github.com/toolscript/toolscript/runner/observed"
)

// TestLinks: observed paths have their links resolved, and are compared with the targets of links.
func TestLinks(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	for _, folder := range []string{"home", "dotfiles/ssh", "dotfiles/config/tool", "scratch/u", "data/proj"} {
		must(os.MkdirAll(in(folder), 0o700))
	}
	for _, file := range []string{"dotfiles/.npmrc", "dotfiles/ssh/id", "dotfiles/other", "data/proj/a"} {
		must(os.WriteFile(in(file), nil, 0o600))
	}
	for name, target := range map[string]string{
		"home/dotfiles": "dotfiles", "home/.npmrc": "dotfiles/.npmrc", "home/.ssh": "dotfiles/ssh", "home/.config": "dotfiles/config",
		"home/.bashrc": "dotfiles/bashrc", "home/.cache": "scratch/u", "home/proj": "data/proj", "me": "home",
	} {
		if err := os.Symlink(in(target), in(name)); err != nil {
			t.Skip(err)
		}
	}
	s := confine.Scene{Home: in("me"), Config: in("home/proj")}
	base := observed.Base{Dir: in("home/proj"), Read: []string{in("home/proj/lib")}, Write: []string{in("home/.cache/toolscript/x")}}
	project := confine.Profile{Name: "project", Write: []confine.Entry{{Path: in("home/proj"), Text: "."}}}
	for name, c := range map[string]struct {
		uses      []use
		before    confine.Profile
		profile   string
		sensitive string
	}{
		"a token":                 {uses: []use{{in("dotfiles/.npmrc"), observed.Read}}, profile: `{"net":false}`, sensitive: "[reads " + in("dotfiles/.npmrc") + "]"},
		"a key":                   {uses: []use{{in("dotfiles/ssh/id"), observed.Read}}, profile: `{"net":false}`, sensitive: "[reads " + in("dotfiles/ssh/id") + "]"},
		"a folder with tokens":    {uses: []use{{in("dotfiles"), observed.List}}, profile: `{"net":false}`, sensitive: "[]"},
		"a start of programs":     {uses: []use{{in("dotfiles/config/autostart/x"), observed.Change}}, profile: `{"net":false}`, sensitive: "[writes " + in("dotfiles/config/autostart/x") + "]"},
		"many programs":           {uses: []use{{in("dotfiles/config/new"), observed.Change}}, profile: `{"net":false}`, sensitive: "[]"},
		"the folder of a program": {uses: []use{{in("scratch/u/tool/a/b"), observed.Change}}, profile: `{"write":["` + in("scratch/u/tool") + `"],"net":false}`, sensitive: "[]"},
		"the package cache":       {uses: []use{{in("scratch/u/toolscript/x/y"), observed.Change}}, profile: `{"net":false}`, sensitive: "[]"},
		"what every server has":   {uses: []use{{in("data/proj/lib/x"), observed.Read}}, profile: `{"net":false}`, sensitive: "[]"},
		"the working folder":      {uses: []use{{in("data/proj/a"), observed.Read}}, profile: `"readonly"`, sensitive: "[]"},
		"a project":               {uses: []use{{in("data/proj/a"), observed.Change}}, profile: `"project"`, sensitive: "[]"},
		"a profile from before":   {uses: []use{{in("data/proj/a"), observed.Change}}, before: project, profile: `"project"`, sensitive: "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &observed.Record{}
			r.Begin(base)
			for _, u := range c.uses {
				r.File(u.path, u.use == observed.List, u.use)
			}
			profile, sensitive := suggest(t, r, s, c.before)
			if profile != c.profile || fmt.Sprint(sensitive) != c.sensitive {
				t.Errorf("profile %s, want %s; sensitive %s, want %s", profile, c.profile, sensitive, c.sensitive)
			}
		})
	}
}

// BenchmarkSuggest measures a server that changes 40,000 files in as many folders.
func BenchmarkSuggest(b *testing.B) {
	r := record()
	for i := range 40_000 {
		r.File(fmt.Sprintf("/srv/%d/%d/x/file", i%20_000, i), false, observed.Change)
	}
	s := scene()
	s.Args = []string{"/srv/1", "--root=/srv/2", "x", "y"}
	for b.Loop() {
		confine.Suggest(r, s, confine.Profile{})
	}
}
