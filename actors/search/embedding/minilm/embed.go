package minilm

import (
	"cmp"
	"context"
	"slices"
)

// batchTokens is the number of tokens in one forward pass. Larger batches save
// nothing: at 256, each weight is already used 256 times per read.
const batchTokens = 256

// Options of an embedding. The zero value is for foreground work.
type Options struct {
	// MaxTokens is the length at which texts are truncated. The default is 128, the
	// length that the model was trained with; the maximum is the constant MaxTokens.
	MaxTokens int
	// Pause is called every few hundred microseconds of work. It may be nil.
	Pause func()
}

// Embed returns a vector of length 1 for each text. It checks ctx between batches,
// which take about 0.1 s.
func (m *Model) Embed(ctx context.Context, texts []string, o Options) ([][]float32, error) {
	limit := o.maxTokens()
	pause := o.Pause
	if pause == nil {
		pause = func() {}
	}
	order := make([]int, len(texts))
	ids := make([][]int32, len(texts))
	for i, text := range texts {
		order[i], ids[i] = i, m.pieces.encode(text, limit)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(ids[a]), len(ids[b])) })

	vectors := make([][]float32, len(texts))
	for len(order) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := batchSize(order, ids)
		batch := make([][]int32, n)
		for i, at := range order[:n] {
			batch[i] = ids[at]
		}
		for i, vector := range m.forward(batch, pause) {
			vectors[order[i]] = vector
		}
		order = order[n:]
	}
	return vectors, nil
}

// Tokens returns the number of tokens of a text that Embed uses, including the start
// and end tokens.
func (m *Model) Tokens(text string, o Options) int {
	return len(m.pieces.encode(text, o.maxTokens()))
}

func (o Options) maxTokens() int { return cmp.Or(min(o.MaxTokens, MaxTokens), 128) }

// batchSize returns the number of texts in the next batch, at least one.
func batchSize(order []int, ids [][]int32) int {
	tokens := 0
	for n, at := range order {
		if tokens += len(ids[at]); tokens > batchTokens && n > 0 {
			return n
		}
	}
	return len(order)
}
