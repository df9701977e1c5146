package minilm_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/actors/search/embedding/minilm"
)

// TestKernel compares the vectors of the kernels with those of the Go code. They
// differ only by the order of additions.
func TestKernel(t *testing.T) {
	if !minilm.HasKernel() {
		t.Log("this machine has no kernel; Go is compared with itself")
	}
	m := open(t)
	texts := []string{"", "a", "list the files of a folder", strings.Repeat("word ", 14), "数据库 查询"}
	fast, err := m.Embed(t.Context(), texts, minilm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	slow, err := m.Portable().Embed(t.Context(), texts, minilm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		if far := farthest(fast[i], slow[i]); !(far < 1e-4) {
			t.Errorf("kernel and Go differ by %g on %q", far, text)
		}
	}
}

// TestBatch: the vector of a text does not depend on the other texts in its batch. 40
// texts of many lengths make several batches, and most end inside a tile.
func TestBatch(t *testing.T) {
	m := open(t)
	var texts []string
	for n := range 40 {
		texts = append(texts, strings.Repeat("some words, ", n%13)+string(rune('a'+n%26)))
	}
	together, err := m.Embed(t.Context(), texts, minilm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		alone, err := m.Embed(t.Context(), []string{text}, minilm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if far := farthest(together[i], alone[0]); !(far < 1e-5) {
			t.Errorf("%q differs by %g in a batch", text, far)
		}
		if got := length(alone[0]); math.Abs(got-1) > 1e-5 {
			t.Errorf("%q has length %g", text, got)
		}
	}
}

func TestEmbedEnds(t *testing.T) {
	m := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Embed(ctx, []string{"a"}, minilm.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want %v", err, context.Canceled)
	}
	if vectors, err := m.Embed(t.Context(), nil, minilm.Options{}); err != nil || len(vectors) != 0 {
		t.Errorf("no text: %v, %v", vectors, err)
	}
	paused := 0
	if _, err := m.Embed(t.Context(), []string{"a"}, minilm.Options{Pause: func() { paused++ }}); err != nil || paused == 0 {
		t.Errorf("paused %d times, %v", paused, err)
	}
}

func TestEncode(t *testing.T) {
	m := open(t)
	same := func(a, b string) {
		t.Helper()
		if x, y := m.Encode(a, 128), m.Encode(b, 128); !slices.Equal(x, y) {
			t.Errorf("%q is %v, %q is %v", a, x, b, y)
		}
	}
	same("Café", "cafe")
	same("create_issue", "create _ issue")
	same("a\tb\r\nc", "a b c")
	same("使用必应", "使 用 必 应")
	same("zero\u200bwidth", "zerowidth")
	same("broken\xff\xfetext", "brokentext")
	same("[SEP]", "[ sep ]")
	for _, tt := range []struct {
		name, text string
		limit      int
		want       []int32
	}{
		{"nothing", "", 128, []int32{1, 2}},
		{"a word and its pieces", "embeddings", 128, []int32{1, 6864, 7273, 3670, 1019, 2}},
		{"too long a word", strings.Repeat("x", 101), 128, []int32{1, 0, 2}},
		{"unknown letters", "\U00010348", 128, []int32{1, 0, 2}},
		{"cut", "read the file", 4, []int32{1, 2194, 1000, 2}},
		{"cut inside a word", "embeddings", 4, []int32{1, 6864, 7273, 2}},
	} {
		if got := m.Encode(tt.text, tt.limit); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestReachable: the program has no vectors of pieces that no text has.
func TestReachable(t *testing.T) {
	pieces := open(t).Pieces()
	if len(pieces) != 29189 {
		t.Fatalf("%d pieces", len(pieces))
	}
	for _, piece := range pieces[3:] { // the first three are special
		if !minilm.Reachable(piece) {
			t.Errorf("no text has the piece %q", piece)
		}
	}
	for _, piece := range []string{"[UNK]", "[unused7]", "##!", "##日", "...", "Word", "naïve"} {
		if minilm.Reachable(piece) {
			t.Errorf("the tokenizer does not produce %q", piece)
		}
	}
}

func FuzzEncode(f *testing.F) {
	m, err := minilm.Open()
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"", "read_file", "Café 数据库 🚀", "\xff\x00\u0301", strings.Repeat("é", 200)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ids := m.Encode(text, 128)
		if len(ids) < 2 || len(ids) > 128 || ids[0] != 1 || ids[len(ids)-1] != 2 {
			t.Fatalf("%d ids: %v", len(ids), ids)
		}
		for _, id := range ids {
			if id < 0 || id >= 29189 {
				t.Fatalf("id %d", id)
			}
		}
		if isASCII(text) && !slices.Equal(ids, m.Encode(strings.ToUpper(text), 128)) {
			t.Fatalf("%q depends on its case", text)
		}
	})
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 }) < 0
}

func farthest(a, b []float32) float64 {
	var far float64
	for i := range a {
		far = math.Max(far, math.Abs(float64(a[i])-float64(b[i])))
	}
	return far
}

func length(v []float32) float64 {
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	return math.Sqrt(squares)
}
