package index

import (
	"context"
	"fmt"
)

// Embedder turns texts into vectors of length 1, so that the product of two is
// the cosine between them.
type Embedder interface {
	// ID names the model: vectors of two IDs must not be compared.
	ID() string
	// Dim is the number of values in a vector.
	Dim() int
	// Embed returns a vector for each text, in their order.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// QueryEmbedder is an Embedder whose model wants queries in another form than
// documents; Embed is for documents then.
type QueryEmbedder interface {
	Embedder
	EmbedQuery(ctx context.Context, query string) ([]float32, error)
}

// Vectors holds what is known of the meaning of tools.
type Vectors map[Key][]float32

// Embed computes the vectors of documents. It is all or nothing.
func Embed(ctx context.Context, e Embedder, documents []Document) (Vectors, error) {
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

// EmbedQuery computes the vector of a query.
func EmbedQuery(ctx context.Context, e Embedder, query string) ([]float32, error) {
	if q, apart := e.(QueryEmbedder); apart {
		vector, err := q.EmbedQuery(ctx, clip(query))
		if err != nil {
			return nil, err
		}
		return mean([][]float32{vector}, e.Dim())
	}
	embedded, err := e.Embed(ctx, []string{clip(query)})
	if err != nil {
		return nil, err
	}
	if len(embedded) != 1 {
		return nil, fmt.Errorf("%s gave %d vectors for 1 text", e.ID(), len(embedded))
	}
	return mean(embedded, e.Dim())
}

// mean is not made one long again: its product with a query is then the mean of
// the cosines.
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

// dot is the product of two vectors of one length; four sums do not wait for
// each other.
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
