package quickjs

import (
	"strings"
	"testing"
)

// TestMayHaveLarge checks that no large integer is missed, wherever it is, and that common texts
// with many digits are parsed without searching for integers.
func TestMayHaveLarge(t *testing.T) {
	for before := range 40 {
		for _, digits := range []string{"9007199254740992", "-9007199254740993", "123456789012345678901234567890"} {
			for _, text := range []string{digits, "[" + digits + "]", `{"a":` + digits + `}`, "[1, " + digits + "]"} {
				text = strings.Repeat(" ", before) + text
				if !mayHaveLarge([]byte(text)) {
					t.Errorf("no large integer in %q", text)
				}
			}
		}
		for _, text := range []string{`"1234567890123456"`, `0.12345678901234567890`, `"a12345678901234567890"`, `123456789012345`, `[1,2,3]`, ``} {
			text = strings.Repeat(" ", before) + text
			if mayHaveLarge([]byte(text)) {
				t.Errorf("a large integer in %q", text)
			}
		}
	}
}

// FuzzMayHaveLarge puts a large integer between arbitrary texts.
func FuzzMayHaveLarge(f *testing.F) {
	f.Add("  ", "9007199254740993", "]")
	f.Fuzz(func(t *testing.T, before, digits, after string) {
		if len(digits) < manyDigits || strings.Trim(digits, "0123456789") != "" {
			return
		}
		if !mayHaveLarge([]byte(before + ":" + digits + "," + after)) {
			t.Errorf("no large integer in %q", before+":"+digits+","+after)
		}
	})
}
