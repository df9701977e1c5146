package hook

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Mismatch compares the version of the program with that of the plugin in a folder. They
// work together if their major and minor numbers are equal. The result says which of them
// to update, or is "".
func Mismatch(root, program string) string {
	text, err := os.ReadFile(filepath.Join(root, ".claude-plugin", "plugin.json")) //nolint:gosec // the client names the folder
	if err != nil {
		return ""
	}
	var manifest struct {
		Version string `json:"version"`
	}
	if json.Unmarshal(text, &manifest) != nil {
		return ""
	}
	older, how := "program", "install toolscript again"
	switch compare(manifest.Version, program) {
	case 0:
		return ""
	case -1:
		older, how = "plugin", "claude plugin update toolscript"
	}
	return fmt.Sprintf("the plugin has version %s and the program %s; update the %s: %s", manifest.Version, program, older, how)
}

// compare compares two versions by major and minor number. An invalid version is equal to
// every other.
func compare(a, b string) int {
	var x, y [2]int
	if !parse(a, &x) || !parse(b, &y) {
		return 0
	}
	return slices.Compare(x[:], y[:])
}

func parse(text string, into *[2]int) bool {
	n, err := fmt.Sscanf(strings.TrimPrefix(text, "v"), "%d.%d", &into[0], &into[1])
	return err == nil && n == 2
}
