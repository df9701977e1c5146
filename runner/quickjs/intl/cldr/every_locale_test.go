package cldr_test

import (
	"strings"
	"testing"

	"github.com/toolscript/toolscript/runner/quickjs/intl"
	"github.com/toolscript/toolscript/runner/quickjs/intl/cldr"
	"github.com/toolscript/toolscript/runner/quickjs/intl/date"
)

// TestEveryLocale formats a value of each kind in each locale, so that missing data are found.
func TestEveryLocale(t *testing.T) {
	values := map[string]string{
		`"kind":"number","options":{"style":"currency","currency":"EUR","currencyDisplay":"name","maximumFractionDigits":2,"roundingIncrement":1}`:                     "1234.5",
		`"kind":"number","options":{"style":"currency","currency":"USD","currencySign":"accounting","maximumFractionDigits":2,"roundingIncrement":1}`:                  "-1234.5",
		`"kind":"number","options":{"style":"unit","unit":"liter-per-kilometer","unitDisplay":"long","roundingIncrement":1}`:                                           "3",
		`"kind":"number","options":{"style":"percent","roundingIncrement":1}`:                                                                                          "3",
		`"kind":"number","options":{"notation":"compact","compactDisplay":"short","maximumSignificantDigits":2,"roundingIncrement":1}`:                                 "123456",
		`"kind":"date","options":{"dateStyle":"full","timeStyle":"full"}`:                                                                                              "0",
		`"kind":"date","options":{"year":"numeric","month":"short","day":"numeric","weekday":"short","hour":"numeric","dayPeriod":"long","timeZoneName":"longOffset"}`: "0",
		`"kind":"relative","options":{"style":"short","numeric":"always"}`:                                                                                             `{"value":"5","unit":"week"}`,
		`"kind":"list","options":{"type":"disjunction","style":"narrow"}`:                                                                                              `["a","b","c"]`,
		`"kind":"plural","options":{"type":"ordinal","roundingIncrement":1}`:                                                                                           "2",
	}
	locales := 0
	for locale := range cldr.All() {
		locales++
		for settings, value := range values {
			settings = `{"locale":"` + locale + `",` + settings + `}`
			text, err := intl.Format(settings, value, date.UTC)
			if err != nil || strings.TrimSpace(text) == "" || strings.Contains(text, "{") {
				t.Errorf("%s of %s: %q, %v", settings, value, text, err)
			}
		}
	}
	if locales < 200 {
		t.Errorf("%d locales, want at least 200", locales)
	}
}
