// Package convert lets connections process foreign bytes outside of the gateway's process:
// documents, pages and patches. A parser that needs minutes or gigabytes for a few
// kilobytes then ends with its worker process.
package convert

import (
	"context"
	"slices"
)

// Need asks for more input during a conversion, such as a file that a document refers to.
type Need = func(name string) ([]byte, error)

// Port runs the conversion with a name in a worker process, which is killed when ctx ends.
// The parts of input are concatenated. The output has at most most bytes.
type Port func(ctx context.Context, name string, input [][]byte, need Need, most int) ([]byte, error)

// Kind is one kind of conversion.
type Kind struct {
	Name string
	Most int // maximum number of bytes of the output

	// Do runs the conversion, and keeps no state. The parts of output are concatenated. The
	// worker process calls it.
	Do func(input []byte, need Need) (output [][]byte, err error)
}

// Convert runs a conversion at a Port. If at is nil, it runs in this process, as in a
// program without worker processes, such as a test.
func (k Kind) Convert(ctx context.Context, at Port, input [][]byte, need Need) ([]byte, error) {
	if at == nil {
		output, err := k.Do(slices.Concat(input...), need)
		return slices.Concat(output...), err
	}
	return at(ctx, k.Name, input, need, k.Most)
}
