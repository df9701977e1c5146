package builtin_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const code = `package x

// Comment of A.
func A() {
	if x {
		one()

		two()
	}
	three()
}

func B() {}
`

func TestReadFile(t *testing.T) {
	s := newScene(t, map[string]string{
		"five.txt": "1\n2\n3\n4\n5\n", "open.txt": "1\n2", "crlf.txt": "a\r\nb\r\n", "empty.txt": "", "blank.txt": "\n", "dir/code.go": code,
		"bad.txt": "a\xffb\n",
	})
	for _, test := range []struct {
		name string
		args object
		want string
	}{
		{"whole", object{"filePath": "five.txt"}, "L1: 1\nL2: 2\nL3: 3\nL4: 4\nL5: 5"},
		{"range", object{"filePath": "five.txt", "offset": 2, "limit": 2}, "L2: 2\nL3: 3"},
		{"last line", object{"filePath": "five.txt", "offset": 5}, "L5: 5"},
		{"no line break at the end", object{"filePath": "open.txt"}, "L1: 1\nL2: 2"},
		{"line breaks of Windows", object{"filePath": "crlf.txt"}, "L1: a\nL2: b"},
		{"empty", object{"filePath": "empty.txt"}, ""},
		{"blank", object{"filePath": "blank.txt"}, "L1: "},
		{"no UTF-8", object{"filePath": "bad.txt"}, "L1: a\ufffdb"},
		{"absolute", object{"filePath": s.path("open.txt")}, "L1: 1\nL2: 2"},
		{"workdir", object{"filePath": "code.go", "workdir": "dir", "limit": 1}, "L1: package x"},
		{"workdir and ..", object{"filePath": "../open.txt", "workdir": "dir", "limit": 1}, "L1: 1"},
		{"all levels", object{"filePath": "dir/code.go", "mode": "indentation", "anchorLine": 6},
			"L3: // Comment of A.\nL4: func A() {\nL5: \tif x {\nL6: \t\tone()\nL7: \nL8: \t\ttwo()\nL9: \t}\nL10: \tthree()\nL11: }"},
		{"one level", object{"filePath": "dir/code.go", "mode": "indentation", "anchorLine": 6, "maxLevels": 1},
			"L5: \tif x {\nL6: \t\tone()\nL7: \nL8: \t\ttwo()\nL9: \t}"},
		{"anchor by offset, with a limit", object{"filePath": "dir/code.go", "mode": "indentation", "offset": 8, "limit": 1}, "L8: \t\ttwo()"},
		{"limit", object{"filePath": "dir/code.go", "mode": "indentation", "anchorLine": 8, "limit": 3}, "L8: \t\ttwo()\nL9: \t}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := s.call("readFile", test.args)
			if diff := cmp.Diff(test.want, r.text()); diff != "" || r.Structured["success"] != true {
				t.Errorf("(-want +got):\n%s\n%s", diff, r.raw)
			}
		})
	}
}

func TestReadFileFails(t *testing.T) {
	s := newScene(t, map[string]string{"two.txt": "1\n2\n", "dir/x": ""})
	for _, test := range []struct {
		args object
		want string
	}{
		{object{"filePath": "none.txt"}, `"none.txt" does not exist`},
		{object{"filePath": "dir"}, `"dir" is a folder`},
		{object{"filePath": ""}, "the path is empty"},
		{object{"filePath": "two.txt", "offset": 3}, "the offset is 3, and the file has 2 lines"},
		{object{"filePath": "two.txt", "mode": "indentation", "anchorLine": 4}, "anchorLine is 4, and the file has 2 lines"},
		{object{"filePath": "dir/x", "mode": "indentation"}, "anchorLine is 1, and the file has 0 lines"},
		{object{"filePath": "two.txt", "workdir": "two.txt"}, "two.txt"},
	} {
		if r := s.call("readFile", test.args); !r.IsError || !strings.Contains(r.text(), test.want) {
			t.Errorf("%v: %s, want %q", test.args, r.raw, test.want)
		}
	}
}

func TestReadFileLongLines(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	s := newScene(t, map[string]string{"long.txt": "first\n" + long + "\nlast\n", "huge.txt": strings.Repeat("y", 17<<20)})
	if got := s.call("readFile", object{"filePath": "long.txt"}).text(); got != "L1: first\nL2: "+long+"\nL3: last" {
		t.Errorf("%d bytes", len(got))
	}
	if got := s.call("readFile", object{"filePath": "long.txt", "offset": 3}).text(); got != "L3: last" {
		t.Errorf("after a long line: %q", got)
	}
	if r := s.call("readFile", object{"filePath": "huge.txt"}); !r.IsError || !strings.Contains(r.text(), "read fewer") {
		t.Errorf("a line of 17 MB: %.200s", r.raw)
	}
}

func TestListDir(t *testing.T) {
	s := newScene(t, map[string]string{"a/b/c/d.txt": "", "a/x.txt": "", "a-b.txt": "", ".hidden": "", "z.txt": ""})
	for _, test := range []struct {
		name string
		args object
		want string
	}{
		{"two levels", object{"dirPath": "."}, ".hidden\na/\n  b/\n  x.txt\na-b.txt\nz.txt"},
		{"one level", object{"dirPath": ".", "depth": 1}, ".hidden\na/\na-b.txt\nz.txt"},
		{"all levels", object{"dirPath": "a", "depth": 9}, "b/\n  c/\n    d.txt\nx.txt"},
		{"range", object{"dirPath": ".", "offset": 2, "limit": 2}, "a/\n  b/\nMore than 2 entries found"},
		{"exact limit", object{"dirPath": ".", "limit": 6}, ".hidden\na/\n  b/\n  x.txt\na-b.txt\nz.txt"},
		{"one too few", object{"dirPath": ".", "limit": 5}, ".hidden\na/\n  b/\n  x.txt\na-b.txt\nMore than 5 entries found"},
		{"last", object{"dirPath": ".", "offset": 6}, "z.txt"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, s.call("listDir", test.args).text()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	for path, want := range map[string]string{"none": `"none" does not exist`, "z.txt": `"z.txt" is not a folder`} {
		if r := s.call("listDir", object{"dirPath": path}); !r.IsError || r.text() != want {
			t.Errorf("%s: %s, want %s", path, r.raw, want)
		}
	}
	if r := s.call("listDir", object{"dirPath": ".", "offset": 7}); !r.IsError || !strings.Contains(r.text(), "there are 6 entries") {
		t.Errorf("offset 7: %s", r.raw)
	}
}

func TestListDirDefaultLimit(t *testing.T) {
	files := map[string]string{}
	for i := range 30 {
		files[fmt.Sprintf("f%02d", i)] = ""
	}
	got := strings.Split(newScene(t, files).call("listDir", object{"dirPath": "."}).text(), "\n")
	if len(got) != 26 || got[24] != "f24" || got[25] != "More than 25 entries found" {
		t.Errorf("%q", got)
	}
}
