package workspace_test

import (
	"strings"
	"testing"

	"github.com/toolscript/toolscript/transport/builtin/workspace"
)

// FuzzPatch reads and applies patches like a worker process, and compares the result with that
// of this process.
func FuzzPatch(f *testing.F) {
	f.Add("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "a\nb\n")
	f.Add("*** Begin Patch\n*** Update File: x\n@@ a\n-b\n+<c>\n*** End of File\n*** End Patch\n", "a\r\nb")
	f.Add("diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n\\ No newline at end of file\n", "b")
	f.Fuzz(func(t *testing.T, text, file string) {
		if len(text) > 8<<10 || len(file) > 8<<10 {
			t.Skip("time grows with the square of the length")
		}
		text = strings.ToValidUTF8(text, "?") // text from JSON is always UTF-8
		want, wantErr := workspace.Parse(text)
		got, err := workspace.Worker{}.Parse(t.Context(), text)
		if (err == nil) != (wantErr == nil) || len(got.Changes) != len(want.Changes) && err == nil {
			t.Fatalf("%d changes, %v, want %d, %v", len(got.Changes), err, len(want.Changes), wantErr)
		}
		for i, c := range got.Changes {
			before, beforeErr := workspace.Apply(t.Context(), file, want.Changes[i].Hunks)
			after, err := workspace.Worker{}.Apply(t.Context(), file, c.Hunks)
			if before != after && err == nil || (err == nil) != (beforeErr == nil) {
				t.Errorf("%q, %v, want %q, %v", after, err, before, beforeErr)
			}
		}
	})
}
