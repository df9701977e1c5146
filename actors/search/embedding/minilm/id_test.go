package minilm_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/actors/search/embedding/minilm"
)

// TestID: other weights need another ID, because caches would mix their vectors.
func TestID(t *testing.T) {
	weights, err := os.ReadFile("minilm.bin")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(weights)
	if want := hex.EncodeToString(sum[:4]); !strings.HasSuffix(minilm.ID, "-"+want) {
		t.Errorf("ID is %s; it should end with %s, the SHA-256 of minilm.bin", minilm.ID, want)
	}
}
