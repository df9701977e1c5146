package workspace_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/transport/builtin/tool"
	"github.com/toolscript/toolscript/transport/builtin/workspace"
)

func walk(t *testing.T, w *tool.Workspace, dir string) (names []string) {
	t.Helper()
	err := workspace.Walk(t.Context(), w, dir, func(name string) bool {
		names = append(names, name)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// ignored contains a .gitignore file for each rule of the format.
var ignored = map[string]string{
	".gitignore": strings.Join([]string{
		"# comment", "", "*.log", "!keep.log", "/anchored", "build/", "a/b/*.tmp", "**/deep.txt", "mid/**/end.txt", "all/**", "!all/kept.txt",
		"q?.x", "[ab]c.y", "[!ab]c.z", "trailing.txt   ", `space\ `, `\#hash`, `\!bang`, "{x,y}.brace", "lit/*", "!lit/sub", "*.d/", "inner/only",
		"sub/*.go", "foo*bar", "/top*/", "**/node_modules/", "double//slash", "utf-ä.txt",
	}, "\n"),
	"nested/.gitignore": "!*.log\nlocal.txt\n/own\nsub2/\n",
	"crlf/.gitignore":   "gone.txt\r\n*.bak\r\n",

	"x.log": "", "keep.log": "", "anchored": "", "dir/anchored": "", "build/out.txt": "", "dir/build/out.txt": "", "dir/build2/build": "",
	"a/b/c.tmp": "", "a/b/d/c.tmp": "", "c.tmp": "", "deep.txt": "", "a/deep.txt": "", "mid/end.txt": "", "mid/x/y/end.txt": "", "mid/x/other.txt": "",
	"all/kept.txt": "", "all/x/y.txt": "", "dir/all/x.txt": "", "q1.x": "", "q12.x": "", "ac.y": "", "cc.y": "", "cc.z": "", "bc.z": "",
	"trailing.txt": "", "#hash": "", "!bang": "", "x.brace": "", "{x,y}.brace": "", "lit/a": "", "lit/sub/b": "", "p.d/x": "", "p.d2": "",
	"inner/only/x": "", "dir/inner/only": "", "sub/m.go": "", "sub/n/m.go": "", "foo-bar": "", "dir/foo/bar": "", "topmost/x": "", "dir/top1/x": "",
	"top.txt": "", "p/node_modules/m/index.js": "", "utf-ä.txt": "", "utf-ö.txt": "",
	"nested/x.log": "", "nested/deeper/y.log": "", "nested/local.txt": "", "nested/deeper/local.txt": "", "nested/own": "", "nested/deeper/own": "",
	"nested/sub2/x": "", "crlf/gone.txt": "", "crlf/x.bak": "", "crlf/stays.txt": "",
}

// TestLikeGit: the tree lists exactly the files that git does not ignore.
func TestLikeGit(t *testing.T) {
	w := scene(t, ignored)
	for _, args := range [][]string{{"init", "-q"}, {"ls-files", "-z", "--others", "--exclude-standard"}} {
		c := exec.CommandContext(t.Context(), "git", append([]string{"-c", "core.excludesFile="}, args...)...)
		c.Dir = w.Dir
		c.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		if args[0] == "init" {
			continue
		}
		want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		want = slices.DeleteFunc(want, func(name string) bool { return strings.HasSuffix(name, ".gitignore") })
		slices.Sort(want)
		if diff := cmp.Diff(want, walk(t, w, ".")); diff != "" {
			t.Errorf("(-git +Walk):\n%s", diff)
		}
	}
}

func TestWalk(t *testing.T) {
	w := scene(t, map[string]string{
		".gitignore": "*.o\nvendor/\n", "b/x.go": "", "b/x.o": "", "b-c": "", "a": "", ".hidden/x": "", "vendor/v.go": "", "vendor/v.o": "", "b/.h": "",
	})
	for dir, want := range map[string][]string{
		".":      {"a", "b-c", "b/x.go"},
		"b":      {"b/x.go"},
		"vendor": {"vendor/v.go", "vendor/v.o"}, // named in the request, so the rules above it do not apply
	} {
		if diff := cmp.Diff(want, walk(t, w, dir)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", dir, diff)
		}
	}
	if err := workspace.Walk(t.Context(), w, "none", nil); err == nil {
		t.Error("Walk of a missing folder: no error")
	}
	var first []string
	if err := workspace.Walk(t.Context(), w, ".", func(name string) bool { first = append(first, name); return false }); err != nil || len(first) != 1 {
		t.Errorf("Walk that stops: %q, %v", first, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := workspace.Walk(ctx, w, ".", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Walk with an ended context: %v", err)
	}
}

func TestGlob(t *testing.T) {
	for glob, names := range map[string]map[string]bool{
		"":             {"a": true},
		"*.go":         {"a.go": true, "d/a.go": true, "a.gox": false},
		"*.{ts,tsx}":   {"a.ts": true, "d/a.tsx": true, "a.js": false},
		"!*.go":        {"a.go": false, "a.ts": true},
		"src/*.go":     {"src/a.go": true, "src/d/a.go": false, "x/src/a.go": false},
		"/src/**/*.go": {"src/a.go": true, "src/d/a.go": true},

		"{a,b/**}/*.{go,{c,h}pp}": {"a/x.go": true, "b/c/d/x.hpp": true, "b/x.cpp": true, "a/b/x.go": false, "c/x.go": false, "a/x.pp": false},
		`\{a,b\}`:                 {"{a,b}": true, "a": false},
		"[{]a{b,c}":               {"{ab": true, "{ac": true, "ab": false},
		"{a}{,.x}":                {"a": true, "a.x": true, "d/a": true, "ax": false},
	} {
		match, err := workspace.Glob(t.Context(), glob)
		if err != nil {
			t.Fatalf("%s: %v", glob, err)
		}
		for name, want := range names {
			if match(name) != want {
				t.Errorf("%s matches %s: %t", glob, name, !want)
			}
		}
	}
	for glob, want := range map[string]string{
		"[a": "is not valid", "{a,b": "is not valid", strings.Repeat("{a,b}", 9): "more than 256 globs", strings.Repeat("{,", 300) + strings.Repeat("}", 300): "more than 256 globs",
		"{" + strings.Repeat("a,", 300) + "}": "more than 256 globs", strings.Repeat("{{a,b},{c,d}}", 5): "more than 256 globs", strings.Repeat("a", 1001): "the limit is 1000",
	} {
		if _, err := workspace.Glob(t.Context(), glob); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", glob, err, want)
		}
	}
}

// FuzzGlob compares expanded globs with the library's own expansion.
func FuzzGlob(f *testing.F) {
	f.Add("{a,b/**}/*.{go,{c,h}pp}", "b/c/x.hpp")
	f.Add(`\{a,[{,]}?`, "{a,{")
	f.Add("**/{,x}**/[!a-b]", "x/y/c")
	f.Fuzz(func(t *testing.T, glob, name string) {
		if len(glob) > 60 || len(name) > 60 || strings.Count(glob, ",") > 6 {
			t.Skip("the library takes exponential time")
		}
		match, err := workspace.Glob(t.Context(), "/"+glob)
		if err != nil || strings.HasPrefix(glob, "/") {
			return
		}
		if want := doublestar.MatchUnvalidated(glob, name); match(name) != want {
			t.Errorf("%q matches %q: %t, want %t", glob, name, !want, want)
		}
	})
}

// TestSearchEnds: a search with deliberately expensive rules and globs ends when its context ends.
func TestSearchEnds(t *testing.T) {
	content := map[string]string{".gitignore": strings.Repeat("x*y*z\n", 170_000)}
	for i := range 300 {
		content[strings.Repeat("x", 100)+"/"+strings.Repeat("y", i%100+1)+strings.Repeat("z", i/100+1)] = ""
	}
	w := scene(t, content)
	ctx, cancel := context.WithCancel(t.Context())
	seen := 0
	if err := workspace.Walk(ctx, w, ".", func(string) bool { seen++; cancel(); return true }); !errors.Is(err, context.Canceled) || seen != 1 {
		t.Errorf("a walk whose context ends at the first file saw %d files, %v", seen, err)
	}
	match, err := workspace.Glob(ctx, strings.Repeat("{a,b}", 8)+"*")
	if err != nil || match("aaaaaaaa") {
		t.Errorf("after the end of the context the glob matches, %v", err)
	}
	if workspace.ParseRules(".", "a").Matches(t.Context(), "a", false) != true {
		t.Error("a rule without a context that ended")
	}
}
