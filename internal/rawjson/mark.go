package rawjson

import (
	"bufio"
	"bytes"
	"io"
)

// mark is the byte order mark. Programs on Windows write it at the start of texts, but JSON does not
// allow it.
var mark = []byte("\ufeff")

// TrimMark returns a text without a byte order mark at its start.
func TrimMark(text []byte) []byte { return bytes.TrimPrefix(text, mark) }

// SkipMark returns a reader that reads r without a byte order mark at its start.
func SkipMark(r io.Reader) io.Reader { return &unmarked{Reader: bufio.NewReader(r)} }

type unmarked struct {
	*bufio.Reader
	begun bool
}

// Read implements io.Reader. It waits for the whole mark only if the first byte is the first byte of
// the mark.
func (u *unmarked) Read(p []byte) (int, error) {
	if !u.begun {
		u.begun = true
		if first, _ := u.Peek(1); bytes.Equal(first, mark[:1]) {
			if start, _ := u.Peek(len(mark)); bytes.Equal(start, mark) {
				_, _ = u.Discard(len(mark)) // the buffer has the whole mark
			}
		}
	}
	return u.Reader.Read(p)
}
