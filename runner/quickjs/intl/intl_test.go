package intl_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/toolscript/toolscript/runner/quickjs/intl"
)

// FuzzFormat checks that the functions for the prelude accept any arguments, and return texts of bounded length.
func FuzzFormat(f *testing.F) {
	f.Add("number", "de", `{"style":"currency","currency":"EUR","minimumIntegerDigits":1000000000}`, "1")
	f.Add("date", "x", `{"fractionalSecondDigits":1000000000,"timeZone":"+01:00","second":"numeric"}`, "0")
	f.Add("relative", "", `{}`, `{"value":"1","unit":"x"}`)
	f.Add("list", "en", `{"type":"y"}`, `["a","b"]`)
	f.Fuzz(func(t *testing.T, kind, locale, options, value string) {
		settings, _ := json.Marshal(map[string]any{"kind": kind, "locale": locale, "options": json.RawMessage(options)})
		zone := intl.Zone("Europe/Vienna", time.UTC)
		text, _ := intl.Format(string(settings), value, zone)
		if len(text) > 100_000+100*len(value) {
			t.Errorf("%s of %s: %d bytes", settings, value, len(text))
		}
		_, _ = intl.Parts(string(settings), value, zone)
		_ = intl.Resolve(string(settings), zone)
		_ = intl.Compare(string(settings), value, kind)
	})
}
