package upstream

import (
	"context"
	"slices"
)

// ConvertNeed asks for more input during a conversion, such as a file that a document refers to.
type ConvertNeed = func(name string) ([]byte, error)

// ConvertPort runs the conversion with a name in a worker process, which is killed when ctx ends.
// The parts of input are concatenated. The output has at most most bytes.
type ConvertPort func(ctx context.Context, name string, input [][]byte, need ConvertNeed, most int) ([]byte, error)

// ConvertKind is one kind of conversion of foreign bytes: documents, pages or patches. A parser that
// needs minutes or gigabytes for a few kilobytes then ends with its worker process.
type ConvertKind struct {
	Name string
	Most int // maximum number of bytes of the output

	// Do runs the conversion, and keeps no state. The parts of output are concatenated. The
	// worker process calls it.
	Do func(input []byte, need ConvertNeed) (output [][]byte, err error)
}

// Convert runs a conversion at a ConvertPort. If at is nil, it runs in this process, as in a
// program without worker processes, such as a test.
func (k ConvertKind) Convert(ctx context.Context, at ConvertPort, input [][]byte, need ConvertNeed) ([]byte, error) {
	if at == nil {
		output, err := k.Do(slices.Concat(input...), need)
		return slices.Concat(output...), err
	}
	return at(ctx, k.Name, input, need, k.Most)
}
