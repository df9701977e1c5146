package vectors

import (
	"io"

	"github.com/toolscript/toolscript/actors/search/index"
)

// Find calls find.
func (f File) Find(text io.Reader, keys []index.Key) (Found, error) { return f.find(text, keys) }
