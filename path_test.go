package toolscript_test

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The bounds of the path of one exec. They must never be raised.
const (
	maxPathFiles = 28
	maxPathLines = 3600
)

var pathEntry = regexp.MustCompile("^\\* `(\\S+\\.go)` \\S")

// TestPathOfOneExec compares the list in CONTRIBUTING.md with the tree.
func TestPathOfOneExec(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## The path of one `exec`\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var files []string
	lines := 0
	for line := range strings.Lines(section) {
		entry := pathEntry.FindStringSubmatch(line)
		if entry == nil {
			if strings.HasPrefix(line, "*") {
				t.Errorf("%q is no file with its description on one line", line)
			}
			continue
		}
		code, err := os.ReadFile(entry[1])
		if err != nil {
			t.Error(err)
		}
		if slices.Contains(files, entry[1]) {
			t.Errorf("%s is listed twice", entry[1])
		}
		files = append(files, entry[1])
		lines += bytes.Count(code, []byte("\n"))
	}
	t.Logf("%d files, %d lines", len(files), lines)
	if len(files) == 0 || len(files) > maxPathFiles || lines > maxPathLines {
		t.Errorf("an exec passes through %d files with %d lines, want at most %d files and %d lines", len(files), lines, maxPathFiles, maxPathLines)
	}
}
