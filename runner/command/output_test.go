package command

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCutKeepsBothEnds adds a text in random pieces and compares what is kept with the
// text.
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
