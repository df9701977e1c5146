package upstream_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/transport/upstream"
)

func TestPack(t *testing.T) {
	for _, texts := range [][][]byte{nil, {nil}, {{}}, {[]byte("a"), nil, bytes.Repeat([]byte("x"), 1000), {}}} {
		packed, err := upstream.Pack("header", texts...)
		if err != nil {
			t.Fatal(err)
		}
		var header string
		got, err := upstream.Unpack(slices.Concat(packed...), &header)
		if diff := cmp.Diff(texts, got); err != nil || header != "header" || diff != "" {
			t.Errorf("%q, %v (-want +got):\n%s", header, err, diff)
		}
	}
}

// FuzzUnpack unpacks texts that Pack did not write.
func FuzzUnpack(f *testing.F) {
	packed, err := upstream.Pack(map[string]int{"a": 1}, []byte("text"), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(slices.Concat(packed...))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, packed []byte) {
		var header any
		texts, err := upstream.Unpack(packed, &header)
		if err != nil {
			return
		}
		again, err := upstream.Pack(header, texts...)
		if err != nil {
			t.Fatal(err)
		}
		var same any
		if got, err := upstream.Unpack(slices.Concat(again...), &same); err != nil || !cmp.Equal(got, texts) {
			t.Errorf("%q was packed as %q: %v", texts, got, err)
		}
	})
}
