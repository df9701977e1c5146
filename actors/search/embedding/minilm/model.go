// Package minilm computes sentence embeddings with all-MiniLM-L6-v2 in Go, without
// files or network. The weights, as int8 and the words in five bits, are part of the program (18.5 MB). A program
// built with the tag nomodel lacks them, and Open returns an error.
//
// A Model computes vectors. An Engine loads the model when needed and releases it
// when unused.
package minilm

import (
	"errors"
	"unsafe"
)

//go:generate go run ../../../../release/generate model

const (
	// Dim is the length of an embedding.
	Dim = 384
	// ID names the model and the filter of its documents, see Readable, and ends
	// with the SHA-256 of minilm.bin. Embeddings with different IDs must not be
	// compared.
	ID = "minilm-l6-v2-int8-latin-e4e00df9"
	// MaxTokens is the largest Options.MaxTokens.
	MaxTokens = 256

	layerCount = 6
	innerDim   = 1536
	qkvDim     = 3 * Dim
	vocabSize  = 29189
)

// ErrNoModel is returned by Open in a program built with the tag nomodel.
var ErrNoModel = errors.New("this toolscript was built without its embedding model (tag nomodel)")

// Model is the loaded model. It is immutable and safe for concurrent use.
type Model struct {
	pieces    wordpiece
	words     string    // one row of wordBytes per piece, in the pages of the program file; see word
	positions []float32 // one row of Dim per position
	norm      normWeights
	layers    [layerCount]layer
	kernel    bool // use the machine's kernels
}

type layer struct {
	qkv, out  linear
	attended  normWeights
	up, down  linear
	projected normWeights
}

type normWeights struct{ weight, bias []float32 }

// Open reads the embedded weights. It takes about 10 ms and 3 MB, because the weights
// are not copied from the pages of the program file.
func Open() (*Model, error) {
	if blob == "" {
		return nil, ErrNoModel
	}
	r := reader{rest: blob}
	r.expect("TSMINI4\n")
	m := &Model{pieces: newWordpiece(r.text()), kernel: hasKernel}
	m.words = r.take(vocabSize * wordBytes)
	m.positions = r.rows(MaxTokens)
	m.norm = r.norm()
	for i := range m.layers {
		l := &m.layers[i]
		l.qkv, l.out, l.attended = r.linear(Dim, qkvDim), r.linear(Dim, Dim), r.norm()
		l.up, l.down, l.projected = r.linear(Dim, innerDim), r.linear(innerDim, Dim), r.norm()
	}
	if r.broken || r.rest != "" {
		return nil, errors.New("the embedded model is damaged; run: go generate ./actors/search/embedding/minilm")
	}
	return m, nil
}

// int8s views bytes of the program file as weights, without a copy.
func int8s(text string) []int8 {
	if text == "" {
		return nil
	}
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.StringData(text))), len(text)) //nolint:gosec // same size and alignment, and read-only
}
