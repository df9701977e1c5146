package toolscript_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A promise is a row of the table in docs/security.md.
type promise struct{ text, mechanism, tests string }

// promises reads the rows of the section "Promises and their tests".
func promises(t *testing.T) (rows []promise) {
	t.Helper()
	text, err := os.ReadFile("docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Promises and their tests\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "| promise ") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 3 || slices.ContainsFunc(cells, func(c string) bool { return strings.TrimSpace(c) == "" }) {
			t.Errorf("a row needs a promise, a mechanism and tests: %s", line)
			continue
		}
		rows = append(rows, promise{strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])})
	}
	return rows
}

var (
	testName     = regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w*`)
	testScript   = regexp.MustCompile(`[\w-]+\.txtar\b`)
	testPackage  = regexp.MustCompile("^`([a-z][a-z0-9/-]*)`:")
	testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z]\w*)\(`)
)

// TestPromises: each test that docs/security.md names for a promise exists in its package.
func TestPromises(t *testing.T) {
	rows := promises(t)
	if len(rows) < 50 {
		t.Fatalf("docs/security.md has %d promises", len(rows))
	}
	seen := map[string]bool{}
	for _, row := range rows {
		if seen[row.text] {
			t.Errorf("%q is in the table twice", row.text)
		}
		seen[row.text] = true
		for group := range strings.SplitSeq(row.tests, ";") {
			for _, problem := range unknownTests(t, strings.TrimSpace(group)) {
				t.Errorf("%q: %s", row.text, problem)
			}
		}
	}
}

// unknownTests examines the tests of one package, such as "`cmd/cli`: TestA, TestB" or
// "root: TestC". Scripts of test/script are files.
func unknownTests(t *testing.T, group string) (problems []string) {
	t.Helper()
	folder := "."
	if match := testPackage.FindStringSubmatch(group); match != nil {
		folder = match[1]
	} else if !strings.HasPrefix(group, "root:") {
		return []string{group + " does not begin with a package, as in `cmd/cli`: TestName"}
	}
	declared := testsOf(t, folder)
	names, scripts := testName.FindAllString(group, -1), testScript.FindAllString(group, -1)
	if len(names)+len(scripts) == 0 {
		problems = append(problems, group+" names no test")
	}
	for _, name := range names {
		if !slices.Contains(declared, name) {
			problems = append(problems, "there is no "+name+" in "+folder)
		}
	}
	for _, name := range scripts {
		if _, err := os.Stat(filepath.Join(folder, "testdata", name)); err != nil {
			problems = append(problems, err.Error())
		}
	}
	return problems
}

// testsOf returns the tests and fuzz targets of a folder, for all systems.
func testsOf(t *testing.T, folder string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range testFunction.FindAllSubmatch(text, -1) {
			names = append(names, string(match[1]))
		}
	}
	return names
}
