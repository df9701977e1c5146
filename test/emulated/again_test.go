package emulated_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/emulated"
)

// TestAgain checks that tests that fail, hang or do not begin run again, alone, that the results say so, and that a
// test that fails twice fails the run.
func TestAgain(t *testing.T) {
	t.Setenv("UNSTEADY", t.TempDir())
	s := emulated.Native(t.TempDir(), filepath.Ext(os.Args[0]), t.TempDir())
	s.Again = regexp.MustCompile(`--- FAIL: .*`)
	s.Factor = func() (float64, error) { return 1. / 60, nil } // a limit of three seconds for the case that hangs
	err := s.RunAll([]emulated.Suite{{
		Folder: "testdata/unsteady", Group: "TestCases", Files: "cases/*.txt",
	}}, nil)
	if err == nil || !strings.Contains(err.Error(), "1 tests failed") {
		t.Errorf("RunAll = %v, want one failed test", err)
	}
	text, err := os.ReadFile(filepath.Join(s.Results, "testdata-unsteady.txt"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^ *--- (PASS|FAIL): (\S+)`).FindAllStringSubmatch(string(text), -1) {
		got[m[2]] += m[1]
	}
	again := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^=== AGAIN (\S+): --- FAIL: (\S+)`).FindAllStringSubmatch(string(text), -1) {
		again[m[1]] = m[1] == m[2]
	}
	for name, want := range map[string]struct {
		result string
		again  bool
	}{
		"TestSteady":          {"PASS", false},
		"TestFailsOnce":       {"PASS", true},
		"TestFailsOnce/below": {"PASS", false},
		"TestHangsOnce":       {"PASS", true},
		"TestComesAfter":      {"PASS", true},
		"TestFails":           {"FAIL", true},
		"TestCases/steady":    {"PASS", false},
		"TestCases/hangs":     {"PASS", true},
	} {
		if got[name] != want.result || again[name] != want.again {
			t.Errorf("%s: %q, ran again: %t; want %q, %t", name, got[name], again[name], want.result, want.again)
		}
	}
	if t.Failed() {
		t.Logf("%s", text)
	}
}
