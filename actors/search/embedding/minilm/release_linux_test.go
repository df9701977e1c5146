package minilm_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/actors/search/embedding/minilm"
)

// TestReleaseGivesMemoryBack: the layers' weights, 10 MB of the program file, are in
// memory only while the model is loaded.
func TestReleaseGivesMemoryBack(t *testing.T) {
	e := minilm.NewEngine(0, nil)
	embedOne(t, e, "read a file")
	before := residentFile(t)
	e.Close()
	after := residentFile(t)
	t.Logf("pages of files in memory: %d KB with the model, %d KB without", before, after)
	if before-after < 8<<10 {
		t.Errorf("%d KB of files were in memory, and %d KB after the release", before, after)
	}
}

// residentFile returns the KB of mapped files in the memory of this process.
func residentFile(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		var kilobytes int
		if n, _ := fmt.Sscanf(line, "RssFile: %d kB", &kilobytes); n == 1 {
			return kilobytes
		}
	}
	t.Fatal("no RssFile in /proc/self/status")
	return 0
}
