package index

import (
	"context"
	"fmt"

	"github.com/toolscript/toolscript/actors/search/embedding"
)

// Vectors maps documents to vectors.
type Vectors map[Key][]float32

// Embed computes the vectors of documents. On an error it returns nil.
func Embed(ctx context.Context, e embedding.Embedder, documents []Document) (Vectors, error) {
	var texts []string
	for _, d := range documents {
		texts = append(texts, d.Texts...)
	}
	embedded, err := e.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(embedded) != len(texts) {
		return nil, fmt.Errorf("%s gave %d vectors for %d texts", e.ID(), len(embedded), len(texts))
	}
	vectors := make(Vectors, len(documents))
	for _, d := range documents {
		if vectors[d.Key], err = mean(embedded[:len(d.Texts)], e.Dim()); err != nil {
			return nil, fmt.Errorf("%s: %w", e.ID(), err)
		}
		embedded = embedded[len(d.Texts):]
	}
	return vectors, nil
}

// EmbedQuery returns the vector of a query.
func EmbedQuery(ctx context.Context, e embedding.Embedder, query string) ([]float32, error) {
	vector, err := e.EmbedQuery(ctx, clip(query))
	if err != nil {
		return nil, err
	}
	return mean([][]float32{vector}, e.Dim())
}

// mean returns the mean without normalizing it, so that its product with a query is
// the mean of the cosines.
func mean(vectors [][]float32, dim int) ([]float32, error) {
	sum := make([]float32, dim)
	for _, v := range vectors {
		if len(v) != dim {
			return nil, fmt.Errorf("a vector of %d values, want %d", len(v), dim)
		}
		for i, x := range v {
			sum[i] += x / float32(len(vectors))
		}
	}
	return sum, nil
}

// dot returns the product of two vectors of one length. Four independent sums let the
// CPU run the additions in parallel.
func dot(a, b []float32) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return float64(s0 + s1 + s2 + s3)
}
