package cldr_test

import (
	"testing"

	"github.com/toolscript/toolscript/runner/quickjs/intl/cldr"
)

// FuzzParseTag checks that the canonical form of a tag is its own canonical form.
func FuzzParseTag(f *testing.F) {
	for _, tag := range []string{"en-US", "zh-hant-tw", "de-u-co-phonebk-kn", "en-t-de-x-y", "sl-rozaj-biske-1994", "iw", "x"} {
		f.Add(tag)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tag, err := cldr.ParseTag(text)
		if err != nil {
			return
		}
		name := tag.String()
		again, err := cldr.ParseTag(name)
		if err != nil || again.String() != name {
			t.Errorf("ParseTag(%q) = %q, and again %q, %v", text, name, again, err)
		}
		if available := cldr.Available(tag.Base); available != "" && len(cldr.Of(available, cldr.Numbers)) == 0 {
			t.Errorf("%s is available without data", available)
		}
	})
}
