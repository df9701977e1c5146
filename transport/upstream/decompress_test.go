package upstream_test

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

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// packed returns a text, compressed by a writer.
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

// TestDecompression: answers that a server compresses without being asked are decompressed.
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
	toBrotli := func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) }
	toZstd := func(w io.Writer) io.WriteCloser {
		z, err := zstd.NewWriter(w)
		if err != nil {
			t.Fatal(err)
		}
		return z
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
		{"Brotli", "GET", []string{"br"}, packed(t, text, toBrotli), text, ""},
		{"Zstandard", "GET", []string{"ZSTD"}, packed(t, text, toZstd), text, ""},
		{"Zstandard inside", "GET", []string{"zstd, br"}, packed(t, packed(t, text, toZstd), toBrotli), text, ""},
		{"nothing in Brotli", "GET", []string{"br"}, "", "", ""},
		{"nothing", "GET", []string{"gzip"}, "", "", ""},
		{"HEAD", "HEAD", []string{"br"}, "", "", ""},

		{"three times", "GET", []string{"gzip, gzip, gzip"}, zipped, "it is compressed 3 times", toolscript.InvalidResult},
		{"unknown", "GET", []string{"compress"}, text, `with status 200 OK, cannot be read: its content encoding "compress" is not known`, toolscript.InvalidResult},
		{"unknown inside", "GET", []string{"dcb, gzip"}, zipped, `its content encoding "dcb" is not known`, toolscript.InvalidResult},
		{"no Brotli", "GET", []string{"br"}, "no Brotli", "the answer broke off", toolscript.Unavailable},
		{"no Zstandard", "GET", []string{"zstd"}, text, "the answer broke off", toolscript.Unavailable},
		{"half of Brotli", "GET", []string{"br"}, packed(t, text, toBrotli)[:9], "the answer broke off", toolscript.Unavailable},
		{"half of Zstandard", "GET", []string{"zstd"}, packed(t, text, toZstd)[:15], "the answer broke off", toolscript.Unavailable},
		{"too long in Brotli", "GET", []string{"br"}, packed(t, strings.Repeat("x", 2000), toBrotli), "the answer has more than 0 MB", toolscript.TooLarge},
		{"too long in Zstandard", "GET", []string{"zstd"}, packed(t, strings.Repeat("x", 2000), toZstd), "the answer has more than 0 MB", toolscript.TooLarge},
		{"a large window of Zstandard", "GET", []string{"zstd"}, "\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00", "the answer broke off: window size exceeded", toolscript.Unavailable},
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
			answer, err := upstream.Do(http.DefaultClient, request, "the API")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = answer.Body.Close() }() // only read, so an error is harmless
			got, err := upstream.ReadAnswer(t.Context(), nil, answer, 1000)
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
