package main

import "testing"

// TestTokens: the embedded file is what the library gives.
func TestTokens(t *testing.T) {
	if err := writeTokens("../../internal/tokens/o200k_base.bin", true); err != nil {
		t.Error(err)
	}
}
