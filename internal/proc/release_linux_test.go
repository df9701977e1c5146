package proc_test

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/toolscript/toolscript/internal/proc"
)

// TestRelease checks that pages of the program's file are unmapped, and that the program still works.
func TestRelease(t *testing.T) {
	before := mapped(t)
	proc.ReleasePages()
	after := mapped(t)
	t.Logf("pages of files: %d kB before, %d kB after", before, after)
	if after >= before {
		t.Errorf("%d kB of files are mapped, and were %d kB before", after, before)
	}
	proc.ReleasePages()
	if _, err := strconv.ParseFloat("1e400", 64); err == nil { // uses code and constants that were released
		t.Error("1e400 is no float64")
	}
}

var rssFile = regexp.MustCompile(`RssFile:\s+(\d+) kB`)

func mapped(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(string(rssFile.FindSubmatch(status)[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
