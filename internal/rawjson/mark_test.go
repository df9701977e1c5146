package rawjson_test

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"

	"github.com/toolscript/toolscript/internal/rawjson"
)

func FuzzMark(f *testing.F) {
	for _, text := range []string{"", "{}", "\ufeff", "\ufeff{}", "\ufeff\ufeff{}", "\xef", "\xef\xbb", "\xef\xbb{}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		want := bytes.TrimPrefix(text, []byte("\ufeff"))
		if got := rawjson.TrimMark(text); !bytes.Equal(got, want) {
			t.Errorf("%q becomes %q", text, got)
		}
		for name, r := range map[string]io.Reader{"at once": bytes.NewReader(text), "in bytes": iotest.OneByteReader(bytes.NewReader(text)), "with its end": iotest.DataErrReader(bytes.NewReader(text))} {
			if got, err := io.ReadAll(rawjson.SkipMark(r)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%q, read %s, becomes %q, %v", text, name, got, err)
			}
		}
	})
}

// TestSkipMarkDoesNotWait: if a text does not begin with a byte order mark, Read returns the bytes that have arrived.
func TestSkipMarkDoesNotWait(t *testing.T) {
	r, w := io.Pipe()
	go func() { _, _ = w.Write([]byte("{}")) }() // the pipe stays open
	got := make([]byte, 10)
	if n, err := rawjson.SkipMark(r).Read(got); err != nil || string(got[:n]) != "{}" {
		t.Errorf("read %q, %v", got[:n], err)
	}
}
