//go:build integration && linux

package conformance

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var (
	schemaMethod = regexp.MustCompile("method:\\{const:`([^`]+)`")
	tableRow     = regexp.MustCompile("(?m)^\\| `([^`]+)`[^|]*\\|([^|]+)\\|([^|]+)\\|([^|]+)\\|$")
	testName     = regexp.MustCompile(`\bTest[A-Z]\w+`)
)

// extensionMethods are the methods of extensions, which the schemas of the versions do not have.
var extensionMethods = []string{"tasks/update", "notifications/tasks", "skills/list", "skills/get", "resources/directory/read"}

// TestTheTable compares docs/protocol.md with the schemas that the suite contains: each method of each
// version has a row, each cell names a test that exists or says no, and each row has a method.
func TestTheTable(t *testing.T) {
	page, err := os.ReadFile("../../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := os.ReadFile(suite)
	if err != nil {
		t.Fatal(err)
	}
	methods := map[string]bool{}
	for _, found := range schemaMethod.FindAllSubmatch(bundle, -1) {
		methods[string(found[1])] = true
	}
	if len(methods) < 34 {
		t.Fatalf("the schemas of the suite have %d methods", len(methods))
	}
	for _, method := range extensionMethods {
		methods[method] = true
	}
	out, err := exec.CommandContext(t.Context(), "grep", "-rhoE", "--include=*_test.go", "^func Test[A-Z][A-Za-z0-9_]*", "../..").Output()
	if err != nil {
		t.Fatal(err)
	}
	tests := "\n" + string(out)
	tables, _, _ := strings.Cut(string(page), "## Extensions")
	rows := map[string]bool{}
	for _, row := range tableRow.FindAllStringSubmatch(string(page), -1) {
		rows[row[1]] = true
		if strings.Contains(tables, row[0]) && !methods[row[1]] {
			t.Errorf("no version has the method %s", row[1])
		}
		for _, cell := range row[2:] {
			names := testName.FindAllString(cell, -1)
			if len(names) == 0 && !strings.HasPrefix(strings.TrimSpace(cell), "no") {
				t.Errorf("%s: the cell %q has neither a test nor a reason", row[1], cell)
			}
			for _, name := range names {
				if !strings.Contains(tests, "\nfunc "+name+"\n") {
					t.Errorf("%s: there is no test %s", row[1], name)
				}
			}
		}
	}
	for method := range methods {
		if !rows[method] {
			t.Errorf("docs/protocol.md has no row for %s", method)
		}
	}
}
