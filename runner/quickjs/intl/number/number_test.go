package number_test

import (
	"math/big"
	"testing"

	"github.com/toolscript/toolscript/runner/quickjs/intl/number"
)

func format(t *testing.T, o number.Options, value string) string {
	t.Helper()
	d, err := number.Parse(value)
	if err != nil {
		t.Fatal(err)
	}
	return number.Join(number.New(o).Parts(d))
}

func TestDigitsAreExact(t *testing.T) {
	o := number.Options{Locale: "en", MaximumFractionDigits: 3, UseGrouping: "auto", RoundingIncrement: 1}
	for value, want := range map[string]string{
		"12345678901234567890123456789": "12,345,678,901,234,567,890,123,456,789",
		"0.0005":                        "0.001",
		"1e21":                          "1,000,000,000,000,000,000,000",
		"-0":                            "-0",
		"1.9995":                        "2",
	} {
		if got := format(t, o, value); got != want {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
	}
}

// FuzzParse compares the parsed number with that of package big, and formats every number.
func FuzzParse(f *testing.F) {
	for _, value := range []string{"1.5", "-0", "1e400", "1e-9", ".5", "5.", "1e", "0x1", "12345678901234567890"} {
		f.Add(value, 3)
	}
	f.Fuzz(func(t *testing.T, value string, digits int) {
		d, err := number.Parse(value)
		if err != nil {
			return
		}
		if _, ok := new(big.Float).SetString(value); !ok {
			t.Errorf("Parse accepts %q", value)
		}
		for _, notation := range []string{"standard", "compact", "scientific", "engineering"} {
			o := number.Options{Locale: "de", MaximumFractionDigits: min(max(digits, 0), 100), UseGrouping: "auto", RoundingIncrement: 1, Notation: notation, CompactDisplay: "short"}
			if number.Join(number.New(o).Parts(d)) == "" {
				t.Errorf("%q has no text", value)
			}
		}
	})
}
