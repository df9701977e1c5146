// Package embedding holds what the engines outside of this program have in
// common: the forms in which models want texts, and the check of what they give
// back. The engines are in llama, a program with a GGUF model, and remote, an
// endpoint of the network.
package embedding

import (
	"fmt"
	"math"
	"strings"
)

// MaxText is how much of a text an engine is given, in bytes. Models look at 2 to
// 4 KB of English.
const MaxText = 8 << 10

// Form is what a model wants before a text, to know what it is for.
type Form struct{ Query, Document string }

// Forms are those of models that were trained with some, by a part of their
// name; the first that fits counts. Only queries get the sentence of BGE: with it
// before documents too, all of them become alike.
var forms = []struct {
	name string
	Form
}{
	{"e5-mistral", Form{}}, // wants an instruction made for the task
	{"-instruct", Form{}},  // likewise
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

// FormOf is the form that a model wants. Most want none.
func FormOf(model string) Form {
	model = strings.ToLower(model)
	for _, f := range forms {
		if strings.Contains(model, f.name) {
			return f.Form
		}
	}
	return Form{}
}

// Clip is a text as engines get it: no longer than MaxText and valid.
func Clip(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), MaxText)], "")
}

// Normal gives a vector of dim values the length 1, in place. A vector without a
// length says nothing and is an error: divided by its length it would be found
// for every query.
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

// Slug is a name as every file system takes it, for the ID of an engine.
func Slug(name string) string {
	slug := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '.' || r == '_' {
			return r
		}
		return '-'
	}, strings.ToLower(name))
	return slug[:min(len(slug), 60)]
}
