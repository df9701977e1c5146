package command

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCutKeepsBothEnds adds a text in random pieces and compares the kept beginning and end with the text.
func TestCutKeepsBothEnds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		limit := 1 + random.IntN(40)
		var b strings.Builder
		for b.Len() < random.IntN(200) {
			fmt.Fprintf(&b, "%d,", random.IntN(1000))
		}
		text := b.String()
		c := cut{limit: limit}
		for rest := text; rest != ""; {
			n := min(len(rest), random.IntN(30))
			c.add([]byte(rest[:n]))
			rest = rest[n:]
		}
		want := text
		if len(text) > limit {
			head, tail := limit-limit/2, limit/2
			want = fmt.Sprintf("%s\n[%d bytes omitted]\n%s", text[:head], len(text)-limit, text[len(text)-tail:])
		}
		if got := c.text(); got != want {
			t.Fatalf("of %q, %d bytes were kept as %q, want %q", text, limit, got, want)
		}
	}
}

func TestOutputIsValidText(t *testing.T) {
	c := cut{limit: 3}
	c.add([]byte("\xff€€"))
	if got := c.text(); strings.ToValidUTF8(got, "") != got {
		t.Errorf("%q is not UTF-8", got)
	}
}

// TestRoomForOutput: memory is taken before output is kept, and never more than can be kept.
func TestRoomForOutput(t *testing.T) {
	const limit, piece = 1 << 20, 32 << 10
	taken, written := 0, 0
	o := newTranscript(limit, func(n int) error { taken += n; return nil })
	for written < 4*limit {
		n, err := stream{o, &o.out}.Write(make([]byte, piece))
		if err != nil {
			t.Fatal(err)
		}
		written += n
		if have := len(o.out.head) + len(o.out.tail) + len(o.aggregated.head) + len(o.aggregated.tail); have > taken && written > uncounted {
			t.Fatalf("of %d bytes, %d are kept, and memory for %d was taken", written, have, taken)
		}
	}
	if taken != copies*2*limit {
		t.Errorf("memory for %d bytes was taken", taken)
	}
	full := errors.New("full")
	o = newTranscript(limit, func(int) error { return full })
	if n, err := (stream{o, &o.err}).Write(make([]byte, limit)); n != 0 || !errors.Is(err, full) || o.err.total > 0 {
		t.Errorf("without memory: %d, %v", n, err)
	}
}
