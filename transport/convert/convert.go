// Package convert is how a connection has foreign bytes worked on outside of the gateway's
// process: documents, pages and patches. A parser that a few kilobytes keep busy for
// minutes, or that takes gigabytes for them, then ends with its worker process.
package convert

import (
	"context"
	"slices"
)

// Need asks for more input during a conversion, such as a file that a document refers to.
type Need = func(name string) ([]byte, error)

// Port makes the conversion of a name in a worker process, which is killed when ctx ends.
// The input is the concatenation of parts. The output has at most the given number of bytes.
type Port func(ctx context.Context, name string, input [][]byte, need Need, most int) ([]byte, error)

// Kind is one kind of conversion.
type Kind struct {
	Name string
	Most int // bytes of the output

	// Do makes the conversion, and keeps no state. The output is the concatenation of parts.
	// The worker process calls it.
	Do func(input []byte, need Need) (output [][]byte, err error)
}

// Convert makes a conversion at a Port. With none, it makes it in this process: a
// program that has no worker processes, such as a test.
func (k Kind) Convert(ctx context.Context, at Port, input [][]byte, need Need) ([]byte, error) {
	if at == nil {
		output, err := k.Do(slices.Concat(input...), need)
		return slices.Concat(output...), err
	}
	return at(ctx, k.Name, input, need, k.Most)
}
