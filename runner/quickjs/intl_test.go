package quickjs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// intlCases holds expressions and their values in Node.js (testdata/cases.mjs).
type intlCases struct {
	Node, ICU, CLDR string
	Cases           []struct{ Expression, Want string }
}

func readIntlCases(tb testing.TB) (c intlCases) {
	tb.Helper()
	text, err := os.ReadFile("intl/testdata/cases.json")
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(text, &c); err != nil {
		tb.Fatal(err)
	}
	return c
}

func TestIntlAsInNode(t *testing.T) {
	c := readIntlCases(t)
	const each = 200
	for from := 0; from < len(c.Cases); from += each {
		part := c.Cases[from:min(from+each, len(c.Cases))]
		var b strings.Builder
		b.WriteString("const all = [\n")
		for _, one := range part {
			fmt.Fprintf(&b, "async () => (%s),\n", one.Expression)
		}
		b.WriteString("];\nconst results = []; for (const f of all) { try { results.push(JSON.stringify(await f()) ?? 'undefined') } catch (e) { results.push(`throws ${e.name}`); console.error(e.stack) } }\nexport default results;")
		h := newHost()
		outcome := run(t, script(b.String()), h)
		var got []string
		if err := json.Unmarshal(outcome.Value, &got); err != nil {
			t.Fatalf("%v: %s %s", err, outcome.Value, h.output[1].String())
		}
		for i, one := range part {
			if got[i] != one.Want {
				t.Errorf("%s\n got %s\nwant %s", one.Expression, got[i], one.Want)
			}
		}
	}
}

// TestLocaleFallback: without data for a language, the default locale is used, with one warning.
func TestLocaleFallback(t *testing.T) {
	h := newHost()
	out := run(t, script(`export default [(1234.5).toLocaleString("fi"), new Date(0).toLocaleDateString(["tlh", "fi-FI"]), Intl.NumberFormat.supportedLocalesOf(["fi", "de-LI"])]`), h)
	if want := `["1,234.5","1/1/1970",["de-LI"]]`; string(out.Value) != want {
		t.Errorf("Value = %s, want %s", out.Value, want)
	}
	if got := h.output[1].String(); strings.Count(got, "Warning: ") != 1 || !strings.Contains(got, `the locale 'fi' is not available, so en-US is used`) {
		t.Errorf("stderr = %q, want one warning", got)
	}
	h = newHost()
	run(t, script(`(1).toLocaleString("de-DE"); (1).toLocaleString(); (1).toLocaleString(["fi", "de"])`), h)
	if got := h.output[1].String(); got != "" {
		t.Errorf("stderr = %q, want no warning", got)
	}
}

// TestLocaleOptionsAreRead: cached settings are used only for equal options.
func TestLocaleOptionsAreRead(t *testing.T) {
	for expression, want := range map[string]string{
		`(() => { const o = { minimumFractionDigits: 1 }; const a = (1).toLocaleString("en", o); o.minimumFractionDigits = 2; return [a, (1).toLocaleString("en", o)] })()`:         `["1.0","1.00"]`,
		`(() => { let n = 0; const o = { get minimumFractionDigits() { return n++ } }; return [1, 2, 3].map((x) => x.toLocaleString("en", o)) })()`:                                 `["1","2.0","3.00"]`,
		`(() => { const base = { style: "percent" }; return [(0.5).toLocaleString("en", Object.create(base)), (0.5).toLocaleString("en", {})] })()`:                                 `["50%","0.5"]`,
		`[new Date(0).toLocaleDateString("en", { month: "long" }), new Date(0).toLocaleString("en", { month: "long" }), new Date(0).toLocaleTimeString("en", { hour: "2-digit" })]`: `["January","January","12 AM"]`,
		`(() => { class F extends Intl.NumberFormat { twice(n) { return this.format(2 * n) } } return new F("de").twice(1.25) })()`:                                                 `"2,5"`,
		`(() => { try { Intl.NumberFormat.prototype.formatToParts.call({}, 1) } catch (e) { return e.message } })()`:                                                                `"Method Intl.NumberFormat.prototype.formatToParts called on incompatible receiver {}"`,
		`(() => { try { "a".repeat(2 ** 20).localeCompare("b") } catch (e) { return e.name } })()`:                                                                                  `"RangeError"`,
		`"a".repeat(2 ** 20).localeCompare("a".repeat(2 ** 20))`:                                                                                                                    `0`,
		`(() => { try { (10n ** 20000n).toLocaleString() } catch (e) { return e.name } })()`:                                                                                        `"RangeError"`,
		`[3, 1, 2].toLocaleString("de", { minimumFractionDigits: 1 })`:                                                                                                              `"3,0,1,0,2,0"`,
		`new Uint8Array([1000 % 256]).toLocaleString("de")`:                                                                                                                         `"232"`,
	} {
		value(t, expression, want)
	}
}

// TestLocalesInTheTimeZoneOfTheRun: dates are formatted in the time zone of the run unless options name one.
func TestLocalesInTheTimeZoneOfTheRun(t *testing.T) {
	job := script(`export default [new Date(0).toLocaleString("en-GB"), Intl.DateTimeFormat().resolvedOptions().timeZone, new Date(0).toLocaleTimeString("en-GB", { timeZone: "UTC" })]`)
	job.TZ = "America/New_York"
	if out := run(t, job, newHost()); string(out.Value) != `["31/12/1969, 19:00:00","America/New_York","00:00:00"]` {
		t.Errorf("Value = %s", out.Value)
	}
}
