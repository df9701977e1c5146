package inprocess_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/inprocess"
)

// packed is a text that a writer compresses.
func packed(t *testing.T, text string, to func(io.Writer) io.WriteCloser) string {
	t.Helper()
	var out bytes.Buffer
	w := to(&out)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestDecompression: answers that are compressed although nobody has asked for it.
func TestDecompression(t *testing.T) {
	toGzip := func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }
	toZlib := func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }
	toFlate := func(w io.Writer) io.WriteCloser {
		f, err := flate.NewWriter(w, flate.DefaultCompression)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	const text = `{"a": "bcd"}`
	zipped := packed(t, text, toGzip)
	long := packed(t, strings.Repeat("x", 2000), toGzip)
	for _, c := range []struct {
		name, method string
		encodings    []string
		body, want   string // want is the text, or a part of the error
		kind         toolscript.Kind
	}{
		{"none", "GET", nil, text, text, ""},
		{"identity", "GET", []string{"identity"}, text, text, ""},
		{"gzip", "GET", []string{"gzip"}, zipped, text, ""},
		{"its other name", "GET", []string{" X-GZIP "}, zipped, text, ""},
		{"two members", "GET", []string{"gzip"}, zipped + zipped, text + text, ""},
		{"deflate", "GET", []string{"deflate"}, packed(t, text, toZlib), text, ""},
		{"deflate without a frame", "GET", []string{"deflate"}, packed(t, text, toFlate), text, ""},
		{"twice", "GET", []string{"gzip, gzip"}, packed(t, zipped, toGzip), text, ""},
		{"two kinds", "GET", []string{"deflate, gzip"}, packed(t, packed(t, text, toFlate), toGzip), text, ""},
		{"two headers", "GET", []string{"deflate", "identity, gzip"}, packed(t, packed(t, text, toZlib), toGzip), text, ""},
		{"nothing", "GET", []string{"gzip"}, "", "", ""},
		{"HEAD", "HEAD", []string{"br"}, "", "", ""},

		{"three times", "GET", []string{"gzip, gzip, gzip"}, zipped, "it is compressed 3 times", toolscript.InvalidResult},
		{"brotli", "GET", []string{"br"}, text, `with status 200 OK, cannot be read: its content encoding "br" is not known`, toolscript.InvalidResult},
		{"zstd inside", "GET", []string{"zstd, gzip"}, zipped, `its content encoding "zstd" is not known`, toolscript.InvalidResult},
		{"not compressed", "GET", []string{"gzip"}, text, "the answer broke off", toolscript.Unavailable},
		{"half", "GET", []string{"gzip"}, zipped[:len(zipped)-9], "the answer broke off: unexpected EOF", toolscript.Unavailable},
		{"a byte", "GET", []string{"gzip"}, "\x1f", "the answer broke off: unexpected EOF", toolscript.Unavailable},
		{"too long", "GET", []string{"gzip"}, long, "the answer has more than 0 MB", toolscript.TooLarge},
		{"too long inside", "GET", []string{"deflate, gzip"}, packed(t, packed(t, strings.Repeat("x", 2000), toZlib), toGzip), "the answer has more than 0 MB", toolscript.TooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Encoding"] = c.encodings
				_, _ = io.WriteString(w, c.body)
			}))
			defer api.Close()
			request, err := http.NewRequestWithContext(t.Context(), c.method, api.URL, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Accept-Encoding", "identity")
			answer, err := inprocess.Do(http.DefaultClient, request, "the API")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = answer.Body.Close() }() // it was read
			got, err := inprocess.ReadAnswer(t.Context(), nil, answer, 1000)
			switch {
			case c.kind == "":
				if err != nil || string(got) != c.want {
					t.Errorf("got %q, %v; want %q", got, err, c.want)
				}
			case toolscript.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.want):
				t.Errorf("got %q, %v; want %s: %s", got, err, c.kind, c.want)
			}
		})
	}
}
