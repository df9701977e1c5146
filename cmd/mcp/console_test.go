package mcp

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzMiddle checks that shortened output is valid text of bounded length with the beginning and
// the end of the whole.
func FuzzMiddle(f *testing.F) {
	f.Add("short", 10)
	f.Add(strings.Repeat("line ä\n", 100), 50)
	f.Add(strings.Repeat("ä", 100), 33)
	f.Add("a\n"+strings.Repeat("😀", 100)+"\nz", 40)
	f.Fuzz(func(t *testing.T, text string, most int) {
		if !utf8.ValidString(text) || most < 2 || most > len(text) {
			return
		}
		short := middle(text, most)
		if len(short) > most+60 || !utf8.ValidString(short) {
			t.Fatalf("%d of %d bytes: %q", len(short), most, short)
		}
		if len(text) == most {
			return
		}
		head, rest, _ := strings.Cut(short, "\n… [")
		_, tail, found := strings.Cut(rest, "] …\n")
		if !found || !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) {
			t.Fatalf("%q is not the beginning and the end of %q", short, text)
		}
	})
}
