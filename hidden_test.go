package toolscript_test

import (
	"fmt"
	"testing"
	"unicode"

	"github.com/toolscript/toolscript"
)

// TestHidden: Shown writes invisible characters as numbers: the characters that Unicode classes as
// ignorable, format or control, and blank characters that it classes as letters, marks or symbols.
func TestHidden(t *testing.T) {
	hidden := []rune{
		0x3164, 0x115f, 0x1160, 0x034f, 0xffa0, 0x17b4, 0x17b5, // fillers and joiners that are letters or marks
		0x200b, 0x200d, 0x2060, 0xfeff, 0xad, 0x180e, 0x202e, 0x2066, 0x200f, 0x61c, // format
		0xfe00, 0xfe0f, 0xe0100, 0x180b, 0xe0041, 0xe007f, 0xe0fff, 0x2065, 0xfff0, // selectors, tags, reserved
		0x2800, 0x16fe4, 0x1d159, 0x2028, 0x2029, 0xe000, 0xfdd0, 0x1b, 0x7f, 0x9b, 0,
	}
	for _, r := range hidden {
		if got, want := toolscript.Shown("a"+string(r)+"b"), fmt.Sprintf(`a\u{%X}b`, r); got != want {
			t.Errorf("U+%04X is shown as %q, want %q", r, got, want)
		}
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.In(r, unicode.Cf, unicode.Co, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) && !toolscript.Hidden(r) {
			t.Errorf("U+%04X is not hidden", r)
		}
	}
	const seen = "Plain text,\n\ttabs, umlauts äöü, 日本語, العربية, हिन्दी, ελληνικά, 😀 ⚠ №, e\u0301"
	if got := toolscript.Shown(seen); got != seen {
		t.Errorf("%q is shown as %q", seen, got)
	}
}

// TestCheckServerName: tools of two servers with valid names never have the same id.
func TestCheckServerName(t *testing.T) {
	for name, ok := range map[string]bool{
		"a": true, "a_b": true, "_a": true, "a-b": true, "日本": true, "a b": true, "a._b": true,
		"a__b": false, "__": false, "a__": false, "__a": false, "a___b": false, "a_": false, "_": false, "a_b_": false,
	} {
		if err := toolscript.CheckServerName(name); (err == nil) != ok {
			t.Errorf("%q: %v, want it allowed: %t", name, err, ok)
		}
	}
	texts := []string{"", "_", "__", "a", "_a", "a_", "__a", "a__", "a_a", "a__a", "a___a", "_a_"}
	ids := map[string]toolscript.Tool{}
	for _, server := range texts {
		if server == "" || toolscript.CheckServerName(server) != nil {
			continue
		}
		for _, name := range texts {
			tool := toolscript.Tool{Server: server, Name: name}
			if other, taken := ids[tool.ID()]; taken {
				t.Errorf("%q of %q and %q of %q have one id", tool.Name, tool.Server, other.Name, other.Server)
			}
			ids[tool.ID()] = tool
		}
	}
}
