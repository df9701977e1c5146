package prelude_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/runner/quickjs/prelude"
)

func TestEveryPartIsUsed(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	used := append(prelude.Parts(), prelude.Module, prelude.Harden)
	for _, part := range used {
		if text, err := prelude.Source(part); err != nil || text == "" {
			t.Errorf("Source(%q): %d bytes, %v", part, len(text), err)
		}
	}
	for _, file := range files {
		if part, ok := strings.CutSuffix(file.Name(), ".js"); ok && !slices.Contains(used, part) {
			t.Errorf("%s is evaluated nowhere", file.Name())
		}
	}
}
