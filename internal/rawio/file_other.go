//go:build !unix

package rawio

import "os"

// A File is one end of a pipe.
type File struct{ *os.File }

// New returns a File that owns f.
func New(f *os.File) *File { return &File{f} }

// WriteNow returns 0: on this system, any write to a pipe may block.
func (*File) WriteNow([]byte) int { return 0 }
