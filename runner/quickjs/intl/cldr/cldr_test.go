package cldr_test

import (
	"testing"

	"github.com/toolscript/toolscript/runner/quickjs/intl/cldr"
)

func TestOf(t *testing.T) {
	for _, test := range []struct {
		locale  string
		section cldr.Section
		name    string
		want    string
	}{
		{"en", cldr.Numbers, "symbol:decimal", "."},
		{"de-DE", cldr.Numbers, "symbol:decimal", ","},
		{"de-AT", cldr.Numbers, "symbol:group", "\u00a0"},
		{"zh-TW", cldr.Calendar, "months:format:wide:1", "1月"},
		{"en-GB", cldr.Calendar, "date:short", "dd/MM/y"},
		{"es-MX", cldr.Numbers, "symbol:decimal", "."},
		{"pt", cldr.Words, "list:standard:2", "{0} e {1}"},
		{"en-GB", cldr.Zones, "zone:Europe/London:long:daylight", "British Summer Time"},
	} {
		if got := cldr.Of(test.locale, test.section)[test.name]; got != test.want {
			t.Errorf("%s of %s: %q, want %q", test.name, test.locale, got, test.want)
		}
	}
}

func TestAvailable(t *testing.T) {
	for tag, want := range map[string]string{
		"de": "de", "de-DE": "de-DE", "de-US": "de", "zh-TW": "zh-TW", "zh-Hant-TW": "zh-Hant-TW", "fi": "", "en-GB-oxendict": "en-GB", "es-419": "es-419", "en-JP": "en-JP",
	} {
		if got := cldr.Available(tag); got != want {
			t.Errorf("Available(%s) = %q, want %q", tag, got, want)
		}
	}
}

func TestParseTag(t *testing.T) {
	for text, want := range map[string]string{
		"EN-us": "en-US", "iw": "he", "cmn": "zh", "zh-hant-tw": "zh-Hant-TW", "de-1996": "de-1996", "en-u-NU-latn-ca-gregory": "en-u-ca-gregory-nu-latn",
		"de-u-co-phonebk": "de-u-co-phonebk", "en-x-y": "en-x-y", "en-t-de-u-kn-true": "en-t-de-u-kn", "sh": "sr-Latn", "en-UK": "en-GB",
	} {
		if got, err := cldr.ParseTag(text); err != nil || got.String() != want {
			t.Errorf("ParseTag(%s) = %q, %v, want %q", text, got, err, want)
		}
	}
	for _, bad := range []string{"", "e", "en_US", "en-", "de-x", "en-u", "en-a", "1en", "en-us-us", "en-u-ca-u", "zh-cmn", "i-klingon", "en-\u00e9", "en-u-ca-gregory-u-nu-latn"} {
		if got, err := cldr.ParseTag(bad); err == nil {
			t.Errorf("ParseTag(%q) = %q, want an error", bad, got)
		}
	}
}

func TestPlural(t *testing.T) {
	for _, test := range []struct {
		locale, kind, integer, fraction, want string
	}{
		{"en", "cardinal", "1", "", "one"}, {"en", "cardinal", "1", "0", "other"}, {"en", "ordinal", "22", "", "two"}, {"en", "ordinal", "11", "", "other"},
		{"pl", "cardinal", "22", "", "few"}, {"pl", "cardinal", "25", "", "many"}, {"ru", "cardinal", "121", "", "one"}, {"fr", "cardinal", "", "", "one"},
		{"fr", "cardinal", "1000000", "", "many"}, {"ja", "cardinal", "1", "", "other"},
	} {
		got := cldr.Plural(cldr.Of(test.locale, cldr.Numbers), test.kind, cldr.Operands{Integer: test.integer, Fraction: test.fraction})
		if got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
}
