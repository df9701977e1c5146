package search

import (
	"io"

	"github.com/toolscript/toolscript/actors/search/index"
)

// Find calls find.
func (f VectorFile) Find(text io.Reader, keys []index.Key) (FoundVectors, error) {
	return f.find(text, keys)
}
