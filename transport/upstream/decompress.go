package upstream

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/toolscript/toolscript/internal/budget"
)

// mostEncodings bounds how many times an answer is compressed.
const mostEncodings = 2

// decompress replaces the body of an answer by a reader of its decompressed content. Some servers
// compress answers even if the request did not ask for it. For an unknown encoding, reading the body
// fails, and the status stays readable. most bounds the text between two compressions, in bytes.
func decompress(answer *http.Response, most int) {
	var names []string
	for name := range strings.SplitSeq(strings.ToLower(strings.Join(answer.Header.Values("Content-Encoding"), ",")), ",") {
		if name = strings.TrimSpace(name); name != "" && name != "identity" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return
	}
	content := io.Reader(answer.Body)
	for i, name := range slices.Backward(names) { // the last one was applied last
		content = &compressed{name: name, from: bufio.NewReader(content)}
		if i > 0 {
			content = &limited{content, most}
		}
	}
	if len(names) > mostEncodings {
		content = failing{&encodingError{fmt.Sprintf("it is compressed %d times", len(names))}}
	}
	window := 0
	if slices.Contains(names, "br") || slices.Contains(names, "zstd") {
		window = mostWindow * len(names)
	}
	answer.Body = body{content, answer.Body, window}
	answer.Header.Del("Content-Encoding")
	answer.Header.Del("Content-Length")
	answer.ContentLength, answer.Uncompressed = -1, true
}

// mostWindow bounds the memory of Brotli and Zstandard for text that they have read, in bytes. RFC 7932
// bounds this window of Brotli by 16 MB, and RFC 9659 that of Zstandard over HTTP by 8 MB.
const (
	mostWindow = 16 << 20
	zstdWindow = 8 << 20
)

type body struct {
	io.Reader
	io.Closer
	window int // memory in addition to the text, in bytes
}

// encodingError is the error of an answer whose content encoding is not supported.
type encodingError struct{ text string }

func (e *encodingError) Error() string { return e.text }

// failing is a reader that always fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// limited is a reader of at most left bytes. A compressed text of any length can have no content.
type limited struct {
	from io.Reader
	left int
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	if l.left -= n; l.left < 0 {
		return 0, budget.ErrTooLong
	}
	return n, err
}

// compressed is a reader of the content of a compressed text, which it opens at the first Read. An empty
// text, such as the answer to HEAD, has no content.
type compressed struct {
	name    string
	from    *bufio.Reader
	content io.Reader
}

func (c *compressed) Read(p []byte) (int, error) {
	if c.content == nil {
		if err := c.open(); err != nil {
			return 0, err
		}
	}
	return c.content.Read(p)
}

func (c *compressed) open() (err error) {
	start, err := c.from.Peek(2)
	if len(start) == 0 {
		return err
	}
	switch c.name {
	case "gzip", "x-gzip":
		c.content, err = gzip.NewReader(c.from)
	case "deflate": // some servers leave out the frame of zlib
		if len(start) == 2 && start[0]&0x0f == 8 && (int(start[0])<<8|int(start[1]))%31 == 0 {
			c.content, err = zlib.NewReader(c.from)
		} else {
			c.content, err = flate.NewReader(c.from), nil
		}
	case "br":
		c.content = brotli.NewReader(c.from)
	case "zstd":
		c.content, err = zstd.NewReader(c.from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow)) // without goroutines, so that nothing has to close it
	default:
		err = &encodingError{fmt.Sprintf("its content encoding %.40q is not known", c.name)}
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}
