package minilm_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/toolscript/toolscript/actors/search/embedding/minilm"
)

// leastCosine is the minimum similarity to the reference, which computes with full
// precision.
const leastCosine = 0.995

type reference struct {
	MaxTokens int
	Text      string
	Vector    string
}

// TestReference compares the vectors with those of another implementation of the
// model; see testdata/reference.mjs.
func TestReference(t *testing.T) {
	m := open(t)
	for _, r := range readReference(t) {
		models := map[string]*minilm.Model{"kernel": m}
		if len(r.Text) < 30 { // under the race detector the Go code takes seconds for a long text
			models["portable"] = m.Portable()
		}
		for name, model := range models {
			vectors, err := model.Embed(t.Context(), []string{r.Text}, minilm.Options{MaxTokens: r.MaxTokens})
			if err != nil {
				t.Fatal(err)
			}
			got := cosine(vectors[0], decode(t, r.Vector))
			t.Logf("%s: %.5f of %.60q", name, got, r.Text)
			if !(got >= leastCosine) {
				t.Errorf("%s: cosine of %.60q with the reference is %.5f, want at least %v", name, r.Text, got, leastCosine)
			}
		}
	}
}

func open(t *testing.T) *minilm.Model {
	t.Helper()
	m, err := minilm.Open()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func readReference(t *testing.T) []reference {
	t.Helper()
	text, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []reference
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("only %d texts", len(all))
	}
	return all
}

func decode(t *testing.T, text string) []float32 {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) != 4*minilm.Dim {
		t.Fatalf("a vector of %d bytes: %v", len(raw), err)
	}
	vector := make([]float32, minilm.Dim)
	for i := range vector {
		vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return vector
}

// cosine divides by both lengths, so that it does not depend on normalized vectors.
func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}
