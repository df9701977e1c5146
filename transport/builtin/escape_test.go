package builtin_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

const secret = "SECRET"

// prison returns a scene with files outside of the root and with links that lead to them.
func prison(t *testing.T) *scene {
	t.Helper()
	s := newScene(t, map[string]string{"dir/inner.txt": "inside", "dir/deep/x.txt": "inside"})
	s.mkdir(filepath.Join(s.parent, "outside", "sub"))
	s.mkdir(s.root + "-twin")
	for _, name := range []string{"secret.txt", "outside/secret.txt", "outside/sub/secret.txt", "root-twin/secret.txt"} {
		if err := os.WriteFile(filepath.Join(s.parent, filepath.FromSlash(name)), []byte(secret), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"up": "..", "file": "../secret.txt", "out": "../outside", "abs": s.parent, "absfile": filepath.Join(s.parent, "secret.txt"),
		"twice": "out", "dir/back": "../..", "dir/in": ".", "dangling": "../created.txt", "danglingdir": "../newdir", "loop": "loop",
		"slash": "/", "self": s.root, "dir/winding": "../dir/deep/../../../secret.txt", "proc": "/proc/self/root", "fd": "/proc/self/cwd",
		"dir/deep/up3": "../../../secret.txt", "twin": "../root-twin", "dotdot": "./dir/../..", "viaself": "self/../secret.txt",
	} {
		if err := os.Symlink(target, s.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// outside returns the contents of everything outside of the root, except the journal.
func (s *scene) outside() string {
	s.Helper()
	var all []string
	err := filepath.WalkDir(s.parent, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == s.root || path == filepath.Join(s.parent, "state") {
			return filepath.SkipDir
		}
		text := ""
		if !entry.IsDir() {
			read, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(read)
		}
		all = append(all, path+"="+text)
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
	return strings.Join(all, "\n")
}

// escapes are paths that would lead to a file outside of the root. PARENT stands for the
// folder above the root.
var escapes = []string{
	// parent folders, plain and disguised
	"../secret.txt", "./../secret.txt", "../root/../secret.txt", "dir/../../secret.txt", "dir/deep/../../../secret.txt",
	"dir/./.././../secret.txt", "dir//..//..//secret.txt", "../outside/secret.txt", "../outside/sub/../secret.txt", "../root-twin/secret.txt",
	"../../../../../../../../../../etc/passwd", "none/../../secret.txt", "dir/inner.txt/../../../secret.txt", "..//secret.txt", ".././secret.txt",
	"dir/..//../outside/sub/secret.txt", "./././../secret.txt", "../root/dir/../../secret.txt", "../ROOT/../secret.txt", "dir/deep/x.txt/../../../../secret.txt",
	// absolute paths
	"PARENT/secret.txt", "PARENT/outside/secret.txt", "PARENT/root/../secret.txt", "PARENT/root-twin/secret.txt", "PARENT/root/dir/../../secret.txt",
	"/etc/passwd", "//etc/passwd", "/../etc/passwd", "/proc/self/environ", "/proc/self/root/etc/passwd", "/dev/stdin", "PARENT//root//..//secret.txt",
	"PARENT/./secret.txt", "/",
	// symbolic links
	"file", "up/secret.txt", "out/secret.txt", "out/sub/secret.txt", "abs/secret.txt", "absfile", "twice/secret.txt", "twice/sub/secret.txt",
	"dir/back/secret.txt", "dir/in/back/secret.txt", "dir/in/in/in/back/secret.txt", "dir/winding", "dir/in/winding", "slash/etc/passwd",
	"proc/etc/passwd", "fd/../secret.txt", "dir/deep/up3", "twin/secret.txt", "dotdot/secret.txt", "viaself", "self/../secret.txt", "self/file",
	"self/up/secret.txt", "up/root/file", "up/root/up/secret.txt", "out/../secret.txt/x", "up/root/dir/../../secret.txt", "abs/root/up/secret.txt",
	"loop", "loop/secret.txt", "dangling", "danglingdir/secret.txt", "out/none/secret.txt", "dir/../up/secret.txt", "./out/./secret.txt",
	"up/outside/secret.txt", "dir/back/outside/sub/secret.txt",
	// other notations
	"~/secret.txt", "~root/.bashrc", "file:///etc/passwd", "%2e%2e/secret.txt", "..%2fsecret.txt", "..\\secret.txt", "dir\\..\\..\\secret.txt",
	"C:\\secret.txt", "\\\\?\\C:\\secret.txt", "..\x00/secret.txt", "file\x00", "../secret.txt\x00.txt", "．．/secret.txt", "․․/secret.txt",
	"..\u200b/secret.txt", "$HOME/secret.txt", "{..}/secret.txt", " ../secret.txt", "../secret.txt ", "..;/secret.txt",
}

func TestNoPathLeavesTheRoot(t *testing.T) {
	if len(escapes) < 60 {
		t.Fatalf("%d paths", len(escapes))
	}
	s := prison(t)
	before := s.outside()
	for _, path := range escapes {
		path = strings.ReplaceAll(path, "PARENT", s.parent)
		dir, base := filepath.Split(path)
		for tool, calls := range map[string][]object{
			"readFile": {
				{"filePath": path}, {"filePath": base, "workdir": dir}, {"filePath": path, "workdir": "dir"}, {"filePath": path, "mode": "indentation"},
			},
			"listDir":    {{"dirPath": path}, {"dirPath": dir, "depth": 9}},
			"writeFile":  {{"filePath": path, "content": "overwritten"}},
			"grepFiles":  {{"pattern": "SECRE.|root:x", "path": path}, {"pattern": ".", "path": dir}},
			"fileSearch": {{"pattern": "secret", "searchDirectory": path}, {"pattern": "*", "searchDirectory": dir}},
			"applyPatch": {
				{"patch": "*** Begin Patch\n*** Update File: " + path + "\n@@\n-" + secret + "\n+overwritten\n*** End Patch\n"},
				{"patch": "*** Begin Patch\n*** Delete File: " + path + "\n*** End Patch\n"},
				{"patch": "*** Begin Patch\n*** Add File: " + base + "\n+x\n*** End Patch\n", "cwd": dir},
			},
		} {
			for _, args := range calls {
				if dir == "" && (args["workdir"] == "" || args["cwd"] == "" || args["dirPath"] == "" || args["path"] == "" || args["searchDirectory"] == "") {
					continue
				}
				s.refused(tool, path, args)
			}
		}
	}
	if after := s.outside(); after != before {
		t.Errorf("files outside of the root: %s\nwere: %s", after, before)
	}
}

// refused makes a call whose result must not contain the secret or a part of /etc/passwd. A name
// that looks like an escape may be the name of a file in the root.
func (s *scene) refused(tool, path string, args object) {
	s.Helper()
	r := s.call(tool, args)
	for _, leak := range []string{secret, "root:x:0", "PATH=", "root-twin", "secret.txt"} {
		if text := string(r.raw); strings.Contains(text, leak) && !strings.Contains(path, leak) && !r.IsError && r.Structured["success"] != false {
			s.Errorf("%s %q shows %s: %s", tool, args, leak, r.raw)
		}
	}
}

// TestPathsInTheRoot: unusual paths that stay in the root work.
func TestPathsInTheRoot(t *testing.T) {
	s := prison(t)
	for _, path := range []string{
		"dir/inner.txt", "./dir/inner.txt", "dir/../dir/inner.txt", "dir//inner.txt", "dir/in/inner.txt", s.path("dir/inner.txt"), s.root + "/./dir/inner.txt",
	} {
		if r := s.call("readFile", object{"filePath": path}); r.text() != "L1: inside" {
			t.Errorf("%s: %s", path, r.raw)
		}
	}
}

// TestPatchesThatTryToLeaveTheRoot: such a patch changes no file outside, and none inside,
// because a patch is applied completely or not at all.
func TestPatchesThatTryToLeaveTheRoot(t *testing.T) {
	const good = "*** Add File: good.txt\n+x\n"
	whole := func(body string) string { return "*** Begin Patch\n" + good + body + "*** End Patch\n" }
	patches := []string{
		whole("*** Add File: ../evil.txt\n+x\n"),
		whole("*** Add File: up/evil.txt\n+x\n"),
		whole("*** Add File: out/new/evil.txt\n+x\n"),
		whole("*** Add File: dangling\n+x\n"),
		whole("*** Add File: danglingdir/evil.txt\n+x\n"),
		whole("*** Add File: PARENT/evil.txt\n+x\n"),
		whole("*** Add File: file\n+x\n"),
		whole("*** Delete File: ../secret.txt\n"),
		whole("*** Delete File: file\n"),
		whole("*** Delete File: out/secret.txt\n"),
		whole("*** Delete File: PARENT/secret.txt\n"),
		whole("*** Update File: ../secret.txt\n-" + secret + "\n+x\n"),
		whole("*** Update File: out/secret.txt\n-" + secret + "\n+x\n"),
		whole("*** Update File: dir/inner.txt\n*** Move to: ../evil.txt\n-inside\n+x\n"),
		whole("*** Update File: dir/inner.txt\n*** Move to: out/evil.txt\n"),
		whole("*** Update File: dir/inner.txt\n*** Move to: dangling\n"),
		whole("*** Update File: dir/inner.txt\n*** Move to: PARENT/evil.txt\n"),
		whole("*** Update File: ../secret.txt\n*** Move to: stolen.txt\n"),
		whole("*** Update File: out/secret.txt\n*** Move to: stolen.txt\n"),
		whole("*** Update File: file\n*** Move to: stolen.txt\n"),
		whole("*** Add File: .git/hooks/pre-commit\n+x\n"),
		whole("*** Add File: dir/.GIT/config\n+x\n"),
		whole("*** Add File: .\n+x\n"),
		whole("*** Add File: \n+x\n"),
		"--- a/../secret.txt\n+++ b/../secret.txt\n@@ -1 +1 @@\n-" + secret + "\n+x\n",
		"--- /dev/null\n+++ b/../evil.txt\n@@ -0,0 +1 @@\n+x\n",
		"--- /dev/null\n+++ PARENT/evil.txt\n@@ -0,0 +1 @@\n+x\n",
		"--- a/out/secret.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-" + secret + "\n",
		"diff --git a/dir/inner.txt b/../evil.txt\nrename from dir/inner.txt\nrename to ../evil.txt\n",
		"diff --git a/x b/x\nrename from ../secret.txt\nrename to stolen.txt\n",
		"diff --git \"a/..\\057evil\" \"b/..\\057evil\"\nnew file mode 100644\n--- /dev/null\n+++ \"b/..\\057evil\"\n@@ -0,0 +1 @@\n+x\n",
		"diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n",
		"cd .. && apply_patch <<'EOF'\n" + whole("") + "EOF\n",
		"cd out && apply_patch <<'EOF'\n" + whole("") + "EOF\n",
		"cd PARENT && apply_patch <<'EOF'\n" + whole("") + "EOF\n",
		"cd / && apply_patch <<'EOF'\n" + whole("") + "EOF\n",
	}
	if len(patches) < 20 {
		t.Fatalf("%d patches", len(patches))
	}
	for _, text := range patches {
		s := prison(t)
		text = strings.ReplaceAll(text, "PARENT", s.parent)
		outside, inside := s.outside(), listing(t, s.root)
		r := s.call("applyPatch", object{"patch": text})
		if r.Structured["success"] != false || r.Structured["stderr"] == "" {
			t.Errorf("%s\n%s", text, r.raw)
		}
		if s.outside() != outside || !slices.Equal(listing(t, s.root), inside) {
			t.Errorf("%s\nchanged files", text)
		}
		if strings.Contains(string(r.raw), secret) && !strings.Contains(text, secret) {
			t.Errorf("%s\nshows the secret: %s", text, r.raw)
		}
	}
}

// listing returns all paths below a folder.
func listing(t *testing.T, root string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		all = append(all, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRaces: while a goroutine keeps swapping a folder with a link that leads out of the root, no
// call reads or writes outside.
func TestRaces(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the folder cannot be renamed while it is open")
	}
	s := prison(t)
	s.write("swap/secret.txt", "inside")
	s.write("swap/sub/secret.txt", "inside")
	before := s.outside()
	done := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			err := errors.Join(os.Rename(s.path("swap"), s.path("real")), os.Symlink("../outside", s.path("swap")),
				os.Remove(s.path("swap")), os.Rename(s.path("real"), s.path("swap")))
			if err != nil { // a call has created the folder meanwhile
				_ = os.RemoveAll(s.path("swap"))
				_ = os.Rename(s.path("real"), s.path("swap"))
			}
		}
	})
	for i := range 50 {
		name := fmt.Sprintf("swap/new%d.txt", i)
		for tool, args := range map[string][]object{
			"readFile":  {{"filePath": "swap/secret.txt"}, {"filePath": "secret.txt", "workdir": "swap/sub"}},
			"listDir":   {{"dirPath": "swap"}},
			"grepFiles": {{"pattern": "SECRE", "path": "swap"}},
			"writeFile": {{"filePath": name, "content": "x"}},
			"applyPatch": {
				{"patch": "*** Begin Patch\n*** Update File: swap/secret.txt\n-inside\n+inside\n+x\n*** End Patch\n"},
				{"patch": "*** Begin Patch\n*** Delete File: swap/sub/secret.txt\n*** Add File: swap/sub/deep/" + filepath.Base(name) + "\n+x\n*** End Patch\n"},
			},
		} {
			for _, args := range args {
				s.refused(tool, "secret.txt", args) // the folder in the root also has a file of this name
			}
		}
		if r := s.call("grepFiles", object{"pattern": "SECRE"}); !r.IsError && r.text() != "" {
			t.Errorf("grepFiles: %s", r.raw)
		}
	}
	close(done)
	swapping.Wait()
	if after := s.outside(); after != before {
		t.Errorf("files outside of the root: %s\nwere: %s", after, before)
	}
}

// TestSpecialFiles: a pipe in the root does not block a call.
func TestSpecialFiles(t *testing.T) {
	s := newScene(t, nil)
	if !mkfifo(t, s.path("pipe")) {
		return
	}
	for tool, args := range map[string]object{
		"readFile": {"filePath": "pipe"}, "listDir": {"dirPath": "pipe"}, "writeFile": {"filePath": "pipe", "content": ""},
	} {
		if r := s.call(tool, args); !r.IsError {
			t.Errorf("%s: %s", tool, r.raw)
		}
	}
	if got := s.call("listDir", object{"dirPath": "."}).text(); got != "pipe?" {
		t.Errorf("listDir: %q", got)
	}
}
