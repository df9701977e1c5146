package upstream

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/toolscript/toolscript/internal/budget"
)

// TestTextInBetween: if one compressed text contains another without content, reading has a limit.
func TestTextInBetween(t *testing.T) {
	const block = "\x00\x00\x00\xff\xff" // a deflate block without content
	for _, c := range []struct {
		blocks int
		want   error
	}{{100, io.ErrUnexpectedEOF}, {10_000, budget.ErrTooLong}} {
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

// watched is a reader that records the maximum number of bytes that a lease has.
type watched struct {
	io.Reader
	lease *budget.Lease
	most  int
}

func (w *watched) Read(p []byte) (int, error) {
	w.most = max(w.most, w.lease.Bytes())
	return w.Reader.Read(p)
}

// TestWindow: while an answer is read, the windows of Brotli and Zstandard count towards the budget for answers.
func TestWindow(t *testing.T) {
	var text bytes.Buffer
	w := brotli.NewWriter(&text)
	if _, err := io.WriteString(w, "text"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, release := budget.Hold(t.Context())
	defer release()
	lease := budget.New(func() int64 { return 1 << 30 }).Lease(ctx)
	from := &watched{Reader: &text, lease: lease}
	answer := &http.Response{Header: http.Header{"Content-Encoding": {"br"}}, Body: io.NopCloser(from)}
	if got, err := ReadAnswer(ctx, lease, answer, 1000); string(got) != "text" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if from.most < mostWindow || lease.Bytes() >= mostWindow {
		t.Errorf("the lease had %d bytes, and %d afterwards", from.most, lease.Bytes())
	}
}
