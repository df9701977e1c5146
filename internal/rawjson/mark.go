package rawjson

import (
	"bufio"
	"bytes"
	"io"
)

// mark is the byte order mark, with which programs on Windows begin texts. JSON has none.
var mark = []byte("\ufeff")

// TrimMark returns a text without a byte order mark at its start.
func TrimMark(text []byte) []byte { return bytes.TrimPrefix(text, mark) }

// SkipMark returns a reader that reads r and skips a byte order mark at its start, if there
// is one.
func SkipMark(r io.Reader) io.Reader { return &unmarked{Reader: bufio.NewReader(r)} }

type unmarked struct {
	*bufio.Reader
	begun bool
}

// Read implements io.Reader. It waits for the whole mark only if the first byte belongs to it.
func (u *unmarked) Read(p []byte) (int, error) {
	if !u.begun {
		u.begun = true
		if first, _ := u.Peek(1); bytes.Equal(first, mark[:1]) {
			if start, _ := u.Peek(len(mark)); bytes.Equal(start, mark) {
				_, _ = u.Discard(len(mark)) // it is in the buffer
			}
		}
	}
	return u.Reader.Read(p)
}
