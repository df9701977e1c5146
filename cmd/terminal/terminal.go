// Package terminal has what commands print for people: tables, notices during waits, and texts
// of servers and scripts made safe for the terminal. It asks the questions of servers at the
// terminal, and defines the output forms of commands: text for people, or JSON for programs. It
// prints the value of a script: whole, shortened, or with descriptors in the place of binary data.
package terminal

import (
	"context"
	"io"
	"os"

	"golang.org/x/term"
)

// Is reports whether a stream is a terminal.
func Is(stream any) bool {
	file := fileOf(stream)
	return file != nil && term.IsTerminal(int(file.Fd()))
}

// fileOf returns the file of a stream, or nil.
func fileOf(stream any) *os.File {
	file, _ := stream.(*os.File)
	return file
}

// Columns returns the width of a terminal, or 0 if w is not a terminal.
func Columns(w io.Writer) int {
	file := fileOf(w)
	if !Is(file) {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return max(width, 0)
}

// Await returns the result of read, or the cause of ctx if ctx ends first. In that case, a
// read of standard input continues until the process ends.
func Await[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := read()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
