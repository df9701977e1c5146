package inprocess

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/transport/inflight"
)

// TestTextInBetween: a compressed text without content, inside another one, is not read to its end.
func TestTextInBetween(t *testing.T) {
	const block = "\x00\x00\x00\xff\xff" // of deflate, without content
	for _, c := range []struct {
		blocks int
		want   error
	}{{100, io.ErrUnexpectedEOF}, {10_000, inflight.ErrTooLong}} {
		var text bytes.Buffer
		w := gzip.NewWriter(&text)
		if _, err := io.WriteString(w, strings.Repeat(block, c.blocks)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		answer := &http.Response{Header: http.Header{"Content-Encoding": {"deflate, gzip"}}, Body: io.NopCloser(&text)}
		decompress(answer, 1000)
		if got, err := io.ReadAll(answer.Body); len(got) > 0 || !errors.Is(err, c.want) {
			t.Errorf("%d blocks: got %q, %v; want %v", c.blocks, got, err, c.want)
		}
	}
}
