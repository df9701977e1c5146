package terminal

import (
	"strings"
	"testing"
)

// The output of a script may contain colours for a terminal, but no other control sequences,
// however the output is split into pieces.
func TestControlCharacters(t *testing.T) {
	const text = "a\x1b[1;31mred\x1b[0m\tb\r\nover\rwritten\x1b[2J\x1b]52;c;aGk=\x07\u009b31m\u202Eend \x1b["
	const want = "a\x1b[1;31mred\x1b[0m\tb\r\n" + `over\u{D}written\u{1B}[2J\u{1B}]52;c;aGk=\u{7}\u{9B}31m\u{202E}end \u{1B}[`
	for piece := 1; piece <= len(text); piece++ {
		var b strings.Builder
		h := &filtered{to: &b}
		runes := []rune(text)
		for len(runes) > 0 {
			n := min(piece, len(runes))
			if _, err := h.Write([]byte(string(runes[:n]))); err != nil {
				t.Fatal(err)
			}
			runes = runes[n:]
		}
		if err := h.Close(); err != nil || b.String() != want {
			t.Fatalf("in pieces of %d: %q, %v, want %q", piece, b.String(), err, want)
		}
	}
}
