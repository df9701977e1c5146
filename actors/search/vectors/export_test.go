package vectors

import (
	"io"

	"github.com/toolscript/toolscript/actors/search/index"
)

// Find is what Read finds in the text of a file.
func (f File) Find(text io.Reader, keys []index.Key) (Found, error) { return f.find(text, keys) }
