package intl_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/runner/quickjs/intl"
)

func TestCompare(t *testing.T) {
	plain := intl.Collation{Sensitivity: "variant", CaseFirst: "false"}
	for _, test := range []struct {
		locale string
		change func(o *intl.Collation)
		want   string // texts in order; = joins equal texts
	}{
		{"en", nil, "a A á ab b"},
		{"sv", nil, "a o z å ä ö"},
		{"de", nil, "a ä o ö z"},
		{"ru", nil, "1 а я a"},
		{"ja", nil, "a あ 亜 中 α"},
		{"zh", nil, "北 上 a"},
		{"en", func(o *intl.Collation) { o.Numeric = true }, "a2 a10 b"},
		{"en", func(o *intl.Collation) { o.Sensitivity = "base" }, "a=A=á b"},
		{"en", func(o *intl.Collation) { o.Sensitivity = "accent" }, "a=A á b"},
		{"en", func(o *intl.Collation) { o.Sensitivity = "case" }, "a=á A b"},
		{"en", func(o *intl.Collation) { o.CaseFirst = "upper" }, "A a B b"},
		{"en", func(o *intl.Collation) { o.IgnorePunctuation = true }, "a-b=ab a.c"},
	} {
		o := plain
		if test.change != nil {
			test.change(&o)
		}
		c := intl.NewCollator(test.locale, o)
		groups := strings.Fields(test.want)
		for i, group := range groups {
			for j, other := range groups {
				for x := range strings.SplitSeq(group, "=") {
					for y := range strings.SplitSeq(other, "=") {
						if got := c.Compare(x, y); (got > 0) != (i > j) || (got < 0) != (i < j) {
							t.Errorf("%s %+v: Compare(%s, %s) = %d", test.locale, o, x, y, got)
						}
					}
				}
			}
		}
	}
}

// FuzzCompare checks that the order of texts has no contradictions.
func FuzzCompare(f *testing.F) {
	f.Add("a1", "a10", "Ä", true)
	f.Add("きょう", "x", "", false)
	f.Fuzz(func(t *testing.T, a, b, x string, numeric bool) {
		for _, locale := range []string{"en", "ja", "fr-CA"} {
			c := intl.NewCollator(locale, intl.Collation{Sensitivity: "variant", CaseFirst: "upper", Numeric: numeric})
			if c.Compare(a, a) != 0 || c.Compare(a, b) != -c.Compare(b, a) {
				t.Errorf("%s: %q and %q: %d and %d", locale, a, b, c.Compare(a, b), c.Compare(b, a))
			}
			list := []string{a, b, x}
			slices.SortFunc(list, c.Compare)
			if !slices.IsSortedFunc(list, c.Compare) {
				t.Errorf("%s: %q is not sorted", locale, list)
			}
		}
	})
}
