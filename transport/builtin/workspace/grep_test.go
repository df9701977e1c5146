package workspace_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/transport/builtin/tool"
	"github.com/toolscript/toolscript/transport/builtin/workspace"
)

func search(t *testing.T, w *tool.Workspace, pattern, dir string, limit int) []string {
	t.Helper()
	compiled, err := workspace.Compile(pattern)
	if err != nil {
		t.Fatal(err)
	}
	names, err := workspace.Search{Pattern: compiled, Dir: dir, Include: func(string) bool { return true }, Limit: limit}.Files(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// corpus contains lines on which search engines easily differ, and files that are left out.
var corpus = map[string]string{
	"plain": "one two\nthree\n", "empty": "", "line": "\n", "lines": "a\n\nb", "crlf": "word\r\nend\r\n", "open": "last line",
	"latin1": "caf\xe9\nna\xefve\n", "utf8": "café naïve Straße ΣΑΣ ſ K\n", "utf16": "\xff\xfeo\x00n\x00e\x00", "bom": "\xef\xbb\xbffirst\n",
	"binary": "one\x00two\n", "latebinary": strings.Repeat("filler\n", 2000) + "needle\x00\n", "nulafter": "needle\n" + strings.Repeat("x", 9000) + "\x00",
	"long": strings.Repeat("x", 100_000) + "needle\n", "tabs": "\tindented\n  two\n", "digits": "a1 b٢ c３\n", "fffd": "\ufffd\n", "broken": "a\xffb \xf0\x9f\x98\n",
	"emoji": "😀 smile\n", "separators": "a\u2028b\x0bc\x0cd\u0085e\n", "cr": "a\rb\n", "dir/plain": "one\n", "dir/.hidden": "one\n", ".hidden/x": "one\n",
	"ignored.log": "one needle\n", ".gitignore": "*.log\n", "dir/sub/.gitignore": "plain\n", "dir/sub/plain": "one\n", "dir/sub/other": "one\n", ".ignore": "utf8\n!inner.log\n",
	"dir/.rgignore": "*.ign\n", "a.ign": "a.b\n", "dir/a.ign": "one\n", "dir/inner.log": "a.b\n",
}

var patterns = []string{
	"one", "^one", "two$", "^$", "^", "$", "needle", "(?i)ONE", "(?i)straße", "(?i)σας", "(?i)k", "(?i)S", "caf.", "caf.$", "na.ve", "a.b", "a..b", "[^a]b", "[^x]", ".",
	`\bone\b`, `\Bn`, `\w+`, `\W`, `\d`, `\s`, `\S`, `[[:alpha:]]+\s[[:alpha:]]+`, `\pL`, `\p{Greek}`, `\x{1F600}`, "\ufffd", `[\x{80}-\x{FFFF}]`, `\Aone`, `end\z`,
	`end\r$`, "(one|three)", "x{5}needle", "(?s)a.b", "(?U)o.*e", "a?b*c+", `\Qa\E`, "(a)(b)?", `\.`, `a\rb`, "first", "^first", `[^\n]b`, `\t`, "(?m)^b$", "x*", "a|^$", "c.d",
}

// leftOut are the files of corpus that are hidden, ignored, binary or empty.
var leftOut = []string{
	".gitignore", ".hidden/x", ".ignore", "binary", "dir/.hidden", "dir/.rgignore", "dir/a.ign", "dir/sub/.gitignore", "dir/sub/plain", "empty", "ignored.log", "utf16", "utf8",
}

// TestSearchOfLines: the files are those with a line that matches by itself, or without a byte order mark and the CR of its end.
func TestSearchOfLines(t *testing.T) {
	w := scene(t, corpus)
	for _, pattern := range patterns {
		alone := regexp.MustCompile(pattern)
		var want []string
		for name, text := range corpus {
			plain := strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
			lines := append(strings.Split(strings.TrimSuffix(text, "\n"), "\n"), strings.Split(strings.TrimSuffix(plain, "\n"), "\n")...)
			if !slices.Contains(leftOut, name) && slices.ContainsFunc(lines, alone.MatchString) {
				want = append(want, name)
			}
		}
		slices.Sort(want)
		if diff := cmp.Diff(want, search(t, w, pattern, ".", 100)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", pattern, diff)
		}
	}
}

func TestSearch(t *testing.T) {
	w := scene(t, corpus)
	for _, test := range []struct {
		pattern, dir string
		limit        int
		want         []string
	}{
		{"one", ".", 100, []string{"dir/plain", "dir/sub/other", "plain"}},
		{"one", ".", 2, []string{"dir/plain", "dir/sub/other"}},
		{"one", "dir/sub", 100, []string{"dir/sub/other"}},
		{"needle", ".", 100, []string{"latebinary", "long", "nulafter"}},
		{"^$", ".", 100, []string{"line", "lines"}},
		{"nowhere", ".", 100, nil},
	} {
		if diff := cmp.Diff(test.want, search(t, w, test.pattern, filepath.FromSlash(test.dir), test.limit)); diff != "" {
			t.Errorf("%s in %s (-want +got):\n%s", test.pattern, test.dir, diff)
		}
	}
}

// TestMain makes the test binary act as a program that changes files and kills itself.
func TestMain(m *testing.M) {
	if os.Getenv(childRoot) != "" {
		os.Exit(child())
	}
	os.Exit(m.Run())
}

func TestCompileFails(t *testing.T) {
	for pattern, want := range map[string]string{
		"(": "not a regular expression", `a\nb`: "line break", `[\n]`: "line break", "a(?=b)": "not a regular expression", strings.Repeat("a", 20_000): "the limit is",
	} {
		if _, err := workspace.Compile(pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: %v, want %q", pattern, err, want)
		}
	}
}
