package texts_test

import (
	"testing"
	"unicode/utf8"

	"github.com/toolscript/toolscript/internal/texts"
)

func TestCut(t *testing.T) {
	for _, test := range []struct {
		text            string
		n               int
		cut, end, short string
	}{
		{"", 3, "", "", ""},
		{"abc", 3, "abc", "abc", "abc"},
		{"abcd", 3, "abc", "bcd", "abc…"},
		{"abc", 0, "", "", "…"},
		{"abc", -1, "", "", "…"},
		{"aéb", 2, "a", "b", "a…"},
		{"éé", 3, "é", "é", "é…"},
		{"😀", 3, "", "", "…"},
		{"a😀b", 5, "a😀", "😀b", "a😀…"},
	} {
		if cut, end, short := texts.Cut(test.text, test.n), texts.End(test.text, test.n), texts.Short(test.text, test.n); cut != test.cut || end != test.end || short != test.short {
			t.Errorf("%q at %d: %q, %q and %q", test.text, test.n, cut, end, short)
		}
		if cut := texts.Cut([]byte(test.text), test.n); string(cut) != test.cut {
			t.Errorf("%q as bytes at %d: %q", test.text, test.n, cut)
		}
	}
}

// FuzzCut: Cut and End return valid texts of the maximum length if the whole text is valid.
func FuzzCut(f *testing.F) {
	f.Add("aé😀b", 3)
	f.Add("\xff\x80", 1)
	f.Fuzz(func(t *testing.T, text string, n int) {
		for _, part := range []string{texts.Cut(text, n), texts.End(text, n)} {
			if len(part) > max(n, 0) && len(part) > 0 || utf8.ValidString(text) && (!utf8.ValidString(part) || len(part) < min(n-utf8.UTFMax, len(text))) {
				t.Errorf("%q at %d: %q", text, n, part)
			}
		}
	})
}
