package main

import "testing"

// TestFile: the embedded file is what the library gives.
func TestFile(t *testing.T) {
	if err := run("../../o200k_base.bin", true); err != nil {
		t.Error(err)
	}
}
