package naming_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/internal/naming"
)

func TestSimilar(t *testing.T) {
	files := []string{"createDirectory", "editFile", "listDirectory", "readFile", "readMultipleFiles", "readTextFile", "searchFiles", "writeFile"}
	deprecated := func(name string) bool { return name == "readFile" }
	for name, want := range map[string]string{
		"read_file":      "readTextFile readMultipleFiles editFile",
		"readFile":       "readTextFile readMultipleFiles editFile",
		"redTextFile":    "readTextFile editFile writeFile",
		"listFiles":      "searchFiles listDirectory editFile",
		"createFolder":   "createDirectory",
		"ls":             "",
		"":               "",
		"zzzzzzzzzzzzzz": "",
	} {
		got := naming.Similar(name, files, 3, deprecated)
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
		if slices.Contains(got[:max(0, len(got)-1)], "readFile") {
			t.Errorf("%q: %v has the deprecated name before others", name, got)
		}
	}
	if got := naming.Similar("reaFile", []string{"readFile", "zebra"}, 3, deprecated); !slices.Equal(got, []string{"readFile"}) {
		t.Errorf("%v, want the deprecated name where there is no other", got)
	}
	naming.Similar(strings.Repeat("aB", 1<<20), files, 3, nil) // a script can use such a name
}
