package workspace_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/quick"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/transport/builtin/workspace"
)

func envelope(body string) string { return "*** Begin Patch\n" + body + "*** End Patch\n" }

func update(hunks string) string { return envelope("*** Update File: f\n" + hunks) }

func unified(hunks string) string { return "--- a/f\n+++ b/f\n" + hunks }

// one applies a patch with a single change to a text.
func one(t *testing.T, text, change string) (string, error) {
	t.Helper()
	p, err := workspace.Parse(change)
	if err != nil {
		return "", err
	}
	if len(p.Changes) != 1 || p.Changes[0].Path != "f" {
		t.Fatalf("changes %+v", p.Changes)
	}
	return workspace.Apply(t.Context(), text, p.Changes[0].Hunks)
}

func TestApply(t *testing.T) {
	for _, test := range []struct{ name, text, patch, want string }{
		{"replace", "a\nb\nc\n", update("@@\n a\n-b\n+B\n c\n"), "a\nB\nc\n"},
		{"no @@ before the first hunk", "a\nb\n", update("-b\n+B\n"), "a\nB\n"},
		{"first place", "x\nb\nx\nb\n", update("@@\n-b\n+B\n"), "x\nB\nx\nb\n"},
		{"header", "f1:\n b\nf2:\n b\n", update("@@ f2:\n- b\n+ B\n"), "f1:\n b\nf2:\n B\n"},
		{"headers", "class A\n  def f\n    b\nclass B\n  def f\n    b\n", update("@@ class B\n@@   def f\n-    b\n+    B\n"),
			"class A\n  def f\n    b\nclass B\n  def f\n    B\n"},
		{"header without indentation", "x\n  def f\n    b\n", update("@@ def f\n-    b\n"), "x\n  def f\n"},
		{"two hunks", "a\nb\nc\nd\n", update("@@\n-a\n+A\n@@\n-d\n+D\n"), "A\nb\nc\nD\n"},
		{"end of file", "b\nb\n", update("@@\n-b\n+B\n*** End of File\n"), "b\nB\n"},
		{"append", "a\n", update("@@\n+b\n"), "a\nb\n"},
		{"insert after a header", "a\nb\n", update("@@ a\n+x\n"), "a\nx\nb\n"},
		{"to an empty file", "", update("@@\n+x\n"), "x\n"},
		{"delete all", "a\n", update("@@\n-a\n"), ""},
		{"blank context line", "a\n\nb\n", update("@@\n a\n\n-b\n+B\n"), "a\n\nB\n"},
		{"blank line before the end", "a\nb\n", update("@@\n-b\n+B\n\n"), "a\nB\n"},
		{"numbers in this form", "b\nb\nb\n", update("@@ -2,1 +2,1 @@\n-b\n+B\n"), "b\nB\nb\n"},
		{"CRLF is kept", "a\r\nb\r\nc\r\n", update("@@\n a\n-b\n+B\n+B2\n c\n"), "a\r\nB\r\nB2\r\nc\r\n"},
		{"mixed line ends", "a\r\nb\nc\n", update("@@\n-b\n+B\n-c\n+C\n"), "a\r\nB\nC\n"},
		{"no line break at the end", "a\nb", update("@@\n-b\n+B\n"), "a\nB"},
		{"appended without a line break", "a", update("@@\n a\n+b\n"), "a\nb"},
		{"a patch in CRLF", "a\nb\n", strings.ReplaceAll(update("@@\n-b\n+B\n"), "\n", "\r\n"), "a\nB\n"},

		{"unified", "a\nb\nc\n", unified("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"), "a\nB\nc\n"},
		{"moved down", "x\nx\na\nb\nc\n", unified("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"), "x\nx\na\nB\nc\n"},
		{"the nearest place", "b\nx\nx\nb\nx\nx\nb\n", unified("@@ -5 +5 @@\n-b\n+B\n"), "b\nx\nx\nB\nx\nx\nb\n"},
		{"the nearest place is the last", "b\nx\nx\nb\nx\nb\n", unified("@@ -6 +6 @@\n-b\n+B\n"), "b\nx\nx\nb\nx\nB\n"},
		{"insertion by number", "a\nb\n", unified("@@ -1,0 +2 @@\n+x\n"), "a\nx\nb\n"},
		{"insertion at the start", "a\n", unified("@@ -0,0 +1 @@\n+x\n"), "x\na\n"},
		{"wrong counts", "a\nb\nc\n", unified("@@ -1,9 +1,7 @@\n a\n-b\n+B\n+B2\n c\n"), "a\nB\nB2\nc\n"},
		{"counts too small", "a\nb\nc\n", unified("@@ -1 +1 @@\n a\n\n-b\n+B\n"), ""},
		{"a removed line that looks like a header", "-- x\n++ y\nz\n", unified("@@ -1,3 +1,2 @@\n--- x\n ++ y\n-z\n+Z\n"), "++ y\nZ\n"},
		{"no newline before and after", "a\nb", unified("@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+B\n\\ No newline at end of file\n"), "a\nB"},
		{"newline added", "a\nb", unified("@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+b\n"), "a\nb\n"},
		{"newline removed", "a\nb\n", unified("@@ -2 +2 @@\n-b\n+b\n\\ No newline at end of file\n"), "a\nb"},
		{"CR in the patch", "a\r\nb\r\n", unified("@@ -1,2 +1,2 @@\n a\r\n-b\r\n+B\r\n"), "a\r\nB\r\n"},
		{"from CRLF to LF", "a\r\n", unified("@@ -1 +1 @@\n-a\r\n+a\n"), "a\n"},
		{"from LF to CRLF", "a\nb\n", unified("@@ -1 +1 @@\n-a\n+a\r\n"), "a\r\nb\n"},
		{"a blank in front was lost", "a\n\nb\n", unified("@@ -1,3 +1,3 @@\n a\n\n-b\n+B\n"), "a\n\nB\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := one(t, test.text, test.patch)
			if test.want == "" && test.name == "counts too small" {
				if err == nil {
					t.Errorf("applied: %q", got)
				}
				return
			}
			if err != nil || got != test.want {
				t.Errorf("got %q, want %q, error %v", got, test.want, err)
			}
		})
	}
}

func TestApplyFails(t *testing.T) {
	for _, test := range []struct{ name, text, patch, want string }{
		{"missing lines", "a\n", update("@@\n-b\n+B\n"), "the file does not have these lines:\nb"},
		{"other blanks", "  b\n", update("@@\n-\tb\n+B\n"), "differ from line 1 of the file in blanks"},
		{"blanks at the end", "b \n", update("@@\n-b\n+B\n"), "differ from line 1"},
		{"wrong order", "a\nb\n", update("@@\n-b\n+B\n@@\n-a\n+A\n"), "are at line 1, before those of an earlier hunk"},
		{"not at the end", "b\nc\n", update("@@\n-b\n+B\n*** End of File\n"), "not at the end of the file"},
		{"missing header", "a\n", update("@@ def f\n-a\n"), `no line "def f"`},
		{"line of the patch", "a\n", update("@@\n-a\n+A\n@@\n-b\n"), "line 6 of the patch"},
		{"insertion after the end", "a\n", unified("@@ -7,0 +8 @@\n+x\n"), "the file has 1 lines"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, err := one(t, test.text, test.patch); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %q, error %v, want %q", got, err, test.want)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := workspace.Apply(ctx, "a\n", []workspace.Hunk{{}}); err == nil {
		t.Error("Apply with an ended context: no error")
	}
}

func TestParse(t *testing.T) {
	const all = "*** Add File: new\n+x\n+\n*** Delete File: old\n*** Update File: a\n*** Move to: b\n*** Update File: c\n@@\n-x\n"
	whole := []workspace.Change{
		{Op: workspace.Add, Path: "new", Content: "x\n\n"}, {Op: workspace.Delete, Path: "old"},
		{Op: workspace.Update, Path: "a", NewPath: "b"}, {Op: workspace.Update, Path: "c"},
	}
	for _, test := range []struct {
		name, text, dir string
		want            []workspace.Change
	}{
		{"all", envelope(all), "", whole},
		{"blank lines around", "\n\n" + envelope(all) + "\n", "", whole},
		{"here-document", "apply_patch <<'EOF'\n" + envelope(all) + "EOF\n", "", whole},
		{"applypatch", "applypatch <<\"PATCH\"\n" + envelope(all) + "PATCH", "", whole},
		{"here-document with tabs", "apply_patch <<-'EOF'\n\t" + strings.ReplaceAll(envelope("*** Delete File: old\n"), "\n", "\n\t") + "EOF\n", "",
			[]workspace.Change{{Op: workspace.Delete, Path: "old"}}},
		{"here-document without quotes", "apply_patch <<EOF\n" + envelope("*** Delete File: old\n") + "EOF\n", "", []workspace.Change{{Op: workspace.Delete, Path: "old"}}},
		{"cd", "cd 'my dir' && apply_patch <<'EOF'\n" + envelope(all) + "EOF\n", "my dir", whole},
		{"unified in a here-document", "apply_patch <<'EOF'\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\nEOF\n", "", []workspace.Change{{Op: workspace.Add, Path: "n", Content: "x\n"}}},
		{"git", "commit text\n\ndiff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/y b/y\ndeleted file mode 100644\n" +
			"index 1..0\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n-- \n2.39.5\n", "",
			[]workspace.Change{{Op: workspace.Update, Path: "x"}, {Op: workspace.Delete, Path: "y"}}},
		{"rename", "diff --git a/x b/y z\nsimilarity index 100%\nrename from x\nrename to y z\n", "", []workspace.Change{{Op: workspace.Update, Path: "x", NewPath: "y z"}}},
		{"new empty file", "diff --git a/e b/e\nnew file mode 100755\nindex 0..1\n", "", []workspace.Change{{Op: workspace.Add, Path: "e", Mode: 0o755}}},
		{"mode", "diff --git a/e b/e\nold mode 100644\nnew mode 100755\n", "", []workspace.Change{{Op: workspace.Update, Path: "e", Mode: 0o755}}},
		{"quoted name", "diff --git \"a/\\303\\244\" \"b/\\303\\244\"\n--- \"a/\\303\\244\"\n+++ \"b/\\303\\244\"\n@@ -1 +1 @@\n-a\n+b\n", "", []workspace.Change{{Op: workspace.Update, Path: "ä"}}},
		{"names without prefixes, and times", "--- src/x\t2020-01-01\n+++ src/x\t2021-01-01\n@@ -1 +1 @@\n-a\n+b\n", "", []workspace.Change{{Op: workspace.Update, Path: "src/x"}}},
		{"one prefix only", "--- a/x\n+++ a/x\n@@ -1 +1 @@\n-a\n+b\n", "", []workspace.Change{{Op: workspace.Update, Path: "a/x"}}},
		{"no line break at the end of a new file", "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n", "", []workspace.Change{{Op: workspace.Add, Path: "n", Content: "x"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := workspace.Parse(test.text)
			if err != nil || p.Dir != test.dir {
				t.Fatalf("Dir %q, error %v", p.Dir, err)
			}
			for i := range p.Changes {
				p.Changes[i].Hunks, p.Changes[i].Line = nil, 0
			}
			if diff := cmp.Diff(test.want, p.Changes); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseFails(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"empty":                       {"", "no change of a file"},
		"prose":                       {"please change x", "no change of a file"},
		"no end":                      {"*** Begin Patch\n*** Delete File: x\n", `"*** End Patch" is missing`},
		"text after the end":          {envelope("*** Delete File: x\n") + "rm -rf /\n", "line 4 of the patch: text after"},
		"unknown operation":           {envelope("*** Copy File: x\n"), "line 2 of the patch: expected"},
		"new file without +":          {envelope("*** Add File: x\ny\n"), `line 3 of the patch: the lines of a new file begin with "+"`},
		"update without hunk":         {envelope("*** Update File: x\n"), "has no hunk"},
		"hunk without change":         {update("@@\n a\n"), "the hunk changes nothing"},
		"line without sign":           {update("@@\n-a\nb\n"), "line 5 of the patch"},
		"hunk without file":           {"@@ -1 +1 @@\n-a\n+b\n", "a hunk without a file"},
		"unified without sign":        {unified("@@ -1,3 +1,3 @@\n a\n-b\nfoo\n+c\n"), "line 6 of the patch"},
		"bad header":                  {unified("@@ x @@\n-a\n"), "expected a line such as"},
		"huge number":                 {unified("@@ -99999999999999999999 +1 @@\n-a\n"), "expected a line such as"},
		"binary":                      {"diff --git a/x b/x\nGIT binary patch\nliteral 1\n", "binary"},
		"copy":                        {"diff --git a/x b/y\ncopy from x\ncopy to y\n", "copy"},
		"link":                        {"diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n", "only regular files"},
		"new file with old lines":     {"--- /dev/null\n+++ b/n\n@@ -1 +1 @@\n-x\n+y\n", "the lines of a new file"},
		"here-document without end":   {"apply_patch <<'EOF'\n" + envelope("*** Delete File: x\n"), "has no end"},
		"text after here-document":    {"apply_patch <<'EOF'\n" + envelope("*** Delete File: x\n") + "EOF\nrm x\n", "after the here-document"},
		"expanded here-document":      {"apply_patch <<EOF\n" + envelope("*** Add File: x\n+$HOME\n") + "EOF\n", "quote its delimiter"},
		"another command":             {"apply_patch <<'EOF'; rm x\n" + envelope("*** Delete File: x\n") + "EOF\n", "the command before the patch must be"},
		"command substitution":        {"cd $(x) && apply_patch <<'EOF'\n" + envelope("*** Delete File: x\n") + "EOF\n", "the command before the patch must be"},
		"or":                          {"cd x || apply_patch <<'EOF'\n" + envelope("*** Delete File: x\n") + "EOF\n", "the command before the patch must be"},
		"redirection of another kind": {"apply_patch <<'EOF' > y\n" + envelope("*** Delete File: x\n") + "EOF\n", "the command before the patch must be"},
		"very long":                   {strings.Repeat("x", 9<<20), "the limit is"},
	} {
		t.Run(name, func(t *testing.T) {
			if p, err := workspace.Parse(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%+v, error %v, want %q", p, err, test.want)
			}
		})
	}
}

// TestPatchLikeGit: applying git's diff of two texts turns the first into the second.
func TestPatchLikeGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	letters := []string{"a\n", "b\n", "\n", "-- x\n", "++ y\n", "c\r\n", " d\n"}
	compose := func(choice []uint8, open bool) string {
		var text strings.Builder
		for _, c := range choice {
			text.WriteString(letters[int(c)%len(letters)])
		}
		if open {
			return strings.TrimSuffix(strings.TrimSuffix(text.String(), "\n"), "\r")
		}
		return text.String()
	}
	check := func(before, after []uint8, openBefore, openAfter bool) bool {
		from, to := compose(before, openBefore), compose(after, openAfter)
		for name, text := range map[string]string{"x": from, "y": to} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		command := exec.CommandContext(t.Context(), git, "diff", "--no-index", "--no-color", "x", "y")
		command.Dir = dir
		diff, _ := command.Output() // the exit code is 1 if they differ
		if len(diff) == 0 {
			return true
		}
		p, err := workspace.Parse(string(diff))
		if err != nil || len(p.Changes) != 1 {
			t.Logf("%q: %v", diff, err)
			return false
		}
		got, err := workspace.Apply(t.Context(), from, p.Changes[0].Hunks)
		if err != nil || got != to {
			t.Logf("%q\nfrom %q\ngot  %q\nwant %q, %v", diff, from, got, to, err)
			return false
		}
		return true
	}
	if err := quick.Check(check, &quick.Config{MaxCount: 60}); err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		update("@@ x\n a\n-b\n+B\n*** End of File\n"), unified("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"),
		"cd x && apply_patch <<'EOF'\n" + envelope("*** Add File: x\n+y\n*** Update File: a\n*** Move to: b\n") + "EOF\n",
		"diff --git a/x b/x\nrename from x\nrename to y\nnew mode 100755\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\r\n+b\r\n\\ No newline\n",
	} {
		f.Add(seed, "a\nb\nc\n")
	}
	f.Fuzz(func(t *testing.T, text, file string) {
		p, err := workspace.Parse(text)
		if err != nil {
			return
		}
		if len(p.Changes) == 0 {
			t.Error("no change and no error")
		}
		for _, c := range p.Changes {
			if c.Path == "" && c.Op != workspace.Add {
				continue // the workspace refuses it
			}
			got, err := workspace.Apply(t.Context(), file, c.Hunks)
			if err != nil {
				continue
			}
			want, n := count(file)+grown(c.Hunks), count(got)
			if emptyLast := !strings.HasSuffix(file, "\n") && n == want-1; n != want && !emptyLast {
				t.Errorf("%+v: %q became %q, which has not %d lines", c.Hunks, file, got, want)
			}
			if len(c.Hunks) == 0 && got != file {
				t.Errorf("no hunk, and %q became %q", file, got)
			}
			for _, h := range c.Hunks {
				for _, l := range h.Lines {
					if l.Op == '+' && !strings.Contains(got, l.Text) {
						t.Errorf("%+v: %q became %q, without %q", c.Hunks, file, got, l.Text)
					}
				}
			}
		}
	})
}

// count returns the number of lines of a text.
func count(text string) (n int) {
	for range strings.Lines(text) {
		n++
	}
	return n
}

// grown returns how many lines the hunks add to a text.
func grown(hunks []workspace.Hunk) (n int) {
	for _, h := range hunks {
		for _, l := range h.Lines {
			switch l.Op {
			case '+':
				n++
			case '-':
				n--
			}
		}
	}
	return n
}
