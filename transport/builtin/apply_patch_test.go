package builtin_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func (s *scene) patch(args object) (stdout, stderr string, success bool) {
	s.Helper()
	r := s.call("applyPatch", args)
	if r.IsError {
		s.Fatalf("applyPatch: %s", r.raw)
	}
	success, _ = r.Structured["success"].(bool)
	stdout, _ = r.Structured["stdout"].(string)
	stderr, _ = r.Structured["stderr"].(string)
	return stdout, stderr, success
}

func (s *scene) content(name string) string {
	text, err := os.ReadFile(s.path(name))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func TestApplyPatch(t *testing.T) {
	s := newScene(t, map[string]string{"src/a.txt": "one\r\ntwo\r\n", "src/old.txt": "x\n", "src/gone.txt": "y\n"})
	stdout, stderr, ok := s.patch(object{"cwd": "src", "patch": `apply_patch <<'EOF'
*** Begin Patch
*** Update File: a.txt
@@
 one
-two
+2
+3
*** Update File: old.txt
*** Move to: deep/er/new.txt
@@
-x
+X
*** Delete File: gone.txt
*** Add File: added.txt
+new
*** End Patch
EOF
`})
	want := "Success. Updated the following files:\nM src/a.txt\nD src/old.txt\nA src/deep/er/new.txt\nD src/gone.txt\nA src/added.txt\n"
	if diff := cmp.Diff(want, stdout); diff != "" || stderr != "" || !ok {
		t.Errorf("stdout (-want +got):\n%s\nstderr %s", diff, stderr)
	}
	for name, want := range map[string]string{"src/a.txt": "one\r\n2\r\n3\r\n", "src/deep/er/new.txt": "X\n", "src/added.txt": "new\n"} {
		if got := s.content(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"src/old.txt", "src/gone.txt"} {
		if _, err := os.Lstat(s.path(name)); !os.IsNotExist(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestApplyPatchTwiceToOneFile(t *testing.T) {
	s := newScene(t, map[string]string{"a.txt": "1\n2\n"})
	_, stderr, ok := s.patch(object{"patch": "*** Begin Patch\n*** Update File: a.txt\n-1\n+one\n*** Update File: ./a.txt\n one\n-2\n+two\n*** End Patch\n"})
	if got := s.content("a.txt"); !ok || got != "one\ntwo\n" {
		t.Errorf("a.txt = %q, %s", got, stderr)
	}
}

func TestApplyPatchAllOrNone(t *testing.T) {
	for _, test := range []struct{ name, last, want string }{
		{"old lines", "*** Update File: b.txt\n-nowhere\n+x\n", `"b.txt": line 8 of the patch: the file does not have these lines:`},
		{"missing file", "*** Update File: none.txt\n-x\n", `"none.txt" does not exist`},
		{"delete of a missing file", "*** Delete File: none.txt\n", `"none.txt" does not exist`},
		{"file exists", "*** Add File: b.txt\n+x\n", `"b.txt" exists already`},
		{"move to a file that exists", "*** Update File: b.txt\n*** Move to: dir/c.txt\n", `"dir/c.txt" exists already`},
		{"folder", "*** Update File: dir\n-x\n+y\n", `"dir" is a folder`},
		{"delete of a folder", "*** Delete File: dir\n", `"dir" is a folder`},
		{"file in a file", "*** Add File: b.txt/x\n+x\n", `b.txt`},
		{"deleted twice", "*** Delete File: b.txt\n*** Delete File: b.txt\n", `"b.txt" does not exist`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScene(t, map[string]string{"a.txt": "1\n", "b.txt": "2\n", "dir/c.txt": "3\n"})
			before := strings.Join(listing(t, s.root), "\n")
			_, stderr, ok := s.patch(object{"patch": "*** Begin Patch\n*** Update File: a.txt\n-1\n+changed\n*** Add File: new/x.txt\n+x\n" + test.last + "*** End Patch\n"})
			if ok || !strings.Contains(stderr, test.want) || !strings.HasSuffix(stderr, "No file was changed.\n") {
				t.Errorf("success %t, stderr %q, want %q", ok, stderr, test.want)
			}
			if got := strings.Join(listing(t, s.root), "\n"); got != before || s.content("a.txt") != "1\n" || s.content("b.txt") != "2\n" {
				t.Errorf("files changed: %s", got)
			}
		})
	}
}

func TestWriteFile(t *testing.T) {
	s := newScene(t, map[string]string{"a.txt": "1"})
	for _, test := range []struct{ path, content, want string }{
		{"a.txt", "2", "M a.txt"}, {"a.txt", "2", ""}, {"new/deep/b.txt", "x\r\n", "A new/deep/b.txt"}, {"empty", "", "A empty"},
	} {
		if got := s.call("writeFile", object{"filePath": test.path, "content": test.content}).text(); got != test.want || s.content(test.path) != test.content {
			t.Errorf("%s: %q, content %q", test.path, got, s.content(test.path))
		}
	}
	for path, want := range map[string]string{"new": "is a folder", ".": "cannot be changed", "a.txt/b": "a.txt", "": "empty", ".git/config": "belongs to git"} {
		if r := s.call("writeFile", object{"filePath": path, "content": "x"}); !r.IsError || !strings.Contains(r.text(), want) {
			t.Errorf("%q: %s, want %q", path, r.raw, want)
		}
	}
}
