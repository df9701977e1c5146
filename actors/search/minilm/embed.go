package minilm

import (
	"cmp"
	"context"
	"slices"
)

// batchTokens is how many tokens pass the layers together. More save nothing:
// at 256 each weight is already used 256 times for every time it is read.
const batchTokens = 256

// Options of an embedding. The zero value is for one who waits for the answer.
type Options struct {
	// MaxTokens cuts longer texts; default and what the model was trained with:
	// 128, at most MaxTokens.
	MaxTokens int
	// Pause is called every few hundred microseconds of work; nil: never.
	Pause func()
}

// Embed returns a vector of length 1 for each text. It looks at ctx between
// batches, which take about a tenth of a second.
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

// Tokens is how many tokens of a text Embed looks at, the marks of its start and
// end included.
func (m *Model) Tokens(text string, o Options) int {
	return len(m.pieces.encode(text, o.maxTokens()))
}

func (o Options) maxTokens() int { return cmp.Or(min(o.MaxTokens, MaxTokens), 128) }

// batchSize is how many of the next texts fit into a batch, at least one.
func batchSize(order []int, ids [][]int32) int {
	tokens := 0
	for n, at := range order {
		if tokens += len(ids[at]); tokens > batchTokens && n > 0 {
			return n
		}
	}
	return len(order)
}
