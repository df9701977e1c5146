// Package embedding declares the interface of embedding engines. It also has the external
// engines: a Process is a separate program, toolscript-llama, with a GGUF model, and an Engine
// is an HTTP endpoint with the embeddings API of OpenAI, which many servers have, including
// local servers. The engine that is part of this program is in package minilm.
//
// The package has both sides of the pipe to toolscript-llama, the prefixes that models expect
// before texts, and the check of vectors.
package embedding

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// Embedder turns texts into vectors of length 1, so that the product of two is the cosine
// between them.
type Embedder interface {
	// ID names the model. Vectors of two IDs must not be compared.
	ID() string
	// Dim returns the number of values in a vector.
	Dim() int
	// Embed returns a vector for each document, in their order.
	Embed(ctx context.Context, documents []string) ([][]float32, error)
	// EmbedQuery returns the vector of a query. Some models expect queries in a
	// different form from documents.
	EmbedQuery(ctx context.Context, query string) ([]float32, error)
}

// maxText bounds the text for an engine, in bytes. Models read 2 to 4 KB of English.
const maxText = 8 << 10

// Form is the prefix that a model expects before a text.
type Form struct{ Query, Document string }

// forms lists the models that were trained with prefixes, by a part of their name.
// The first match applies. BGE uses its sentence for queries only: before documents
// it would make all documents similar.
var forms = []struct {
	name string
	Form
}{
	{"e5-mistral", Form{}}, // expects an instruction for each task
	{"-instruct", Form{}},  // expects an instruction for each task
	{"bge-small-en", bge},
	{"bge-base-en", bge},
	{"bge-large-en", bge},
	{"mxbai-embed-large", bge},
	{"arctic-embed", bge},
	{"nomic-embed-text", Form{"search_query: ", "search_document: "}},
	{"e5-small", e5},
	{"e5-base", e5},
	{"e5-large", e5},
}

var (
	bge = Form{Query: "Represent this sentence for searching relevant passages: "}
	e5  = Form{"query: ", "passage: "}
)

// FormOf returns the form for a model. Most models need no prefix.
func FormOf(model string) Form {
	model = strings.ToLower(model)
	for _, f := range forms {
		if strings.Contains(model, f.name) {
			return f.Form
		}
	}
	return Form{}
}

// Clip bounds a text to maxText and makes it valid UTF-8.
func Clip(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxText)], "")
}

// Normal scales a vector of dim values to length 1, in place. It returns an error for
// a vector of length 0, which would match every query.
func Normal(vector []float32, dim int) error {
	if len(vector) != dim {
		return fmt.Errorf("a vector of %d values, want %d", len(vector), dim)
	}
	var square float64
	for _, x := range vector {
		square += float64(x) * float64(x)
	}
	if !(square > 0) || math.IsInf(square, 0) {
		return fmt.Errorf("a vector of length %v", math.Sqrt(square))
	}
	scale := 1 / math.Sqrt(square)
	for i, x := range vector {
		vector[i] = float32(float64(x) * scale)
	}
	return nil
}

// Slug turns the ID of an engine into a valid file name.
func Slug(name string) string {
	slug := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '.' || r == '_' {
			return r
		}
		return '-'
	}, strings.ToLower(name))
	return slug[:min(len(slug), 60)]
}
