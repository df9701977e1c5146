package main

import "testing"

// TestFault checks which tests run a second time: those that Wine did not start or load, and no others.
func TestFault(t *testing.T) {
	for text, again := range map[string]bool{
		"fork/exec C:\\a.exe: Internal error.":                                                              true,
		"Failed to load kernelbase.dll: DLL initialization failed":                                          true,
		"    --- FAIL: TestScripts/a (it did not run to its end: exit status 1)\n":                          true,
		"    --- FAIL: TestScripts/a (it did not run to its end: exit status 2)\n":                          false,
		"    --- FAIL: TestScripts/a (it did not run to its end: signal: killed)\n":                         false,
		"    --- FAIL: TestScripts/a (0.01s)\n":                                                             false,
		"=== RUN   TestScripts/a\n    --- FAIL: TestScripts/a (it did not run to its end: exit status 1)\n": false,
	} {
		if fault.MatchString(text) != again {
			t.Errorf("%q: runs again %t, want %t", text, !again, again)
		}
	}
}
