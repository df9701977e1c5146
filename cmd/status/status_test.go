package status

import "testing"

// A text that replaces an earlier one on the screen has no more lines than the screen.
func TestInPlace(t *testing.T) {
	for _, tt := range []struct {
		height     int
		text, want string
	}{
		{24, "a\nb\n", "\x1b[Ha\x1b[K\nb\x1b[K\n\x1b[J"},
		{3, "a\nb\nc\nd\n", "\x1b[Ha\x1b[K\nb\x1b[K\n\x1b[J"},
		{0, "a\n", "\x1b[Ha\x1b[K\n\x1b[J"},
	} {
		if got := inPlace(tt.text, tt.height); got != tt.want {
			t.Errorf("inPlace(%q, %d) = %q, want %q", tt.text, tt.height, got, tt.want)
		}
	}
}
