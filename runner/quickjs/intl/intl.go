// Package intl implements the part of ECMA-402 that needs data of the Unicode CLDR. Package
// prelude checks the options of Intl and passes them as JSON.
package intl

import (
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/toolscript/toolscript/runner/quickjs/intl/cldr"
	"github.com/toolscript/toolscript/runner/quickjs/intl/date"
	"github.com/toolscript/toolscript/runner/quickjs/intl/number"
)

// settings are the options of an object of Intl.
type settings struct {
	Kind    string          `json:"kind"`
	Locale  string          `json:"locale"`
	Options json.RawMessage `json:"options"`
}

// format is the host's implementation of an object of Intl.
type format struct {
	parts    func(value string) ([]number.Part, error)
	text     func(value string) (string, error) // nil: the text of the parts
	resolved any                                // added to resolvedOptions
	compare  func(a, b string) int
}

// kinds maps kinds of formats to their constructors.
var kinds = map[string]func(s settings, zone date.Zone) (format, error){
	"number": newNumber, "currency": newCurrency, "plural": newPlural, "date": newDate, "collator": newCollator, "list": newList,
	"relative": newRelative, "zone": newZone,
}

func options[T any](s settings) (o T, err error) {
	err = json.Unmarshal(s.Options, &o)
	return o, err
}

func newNumber(s settings, _ date.Zone) (format, error) {
	o, err := options[number.Options](s)
	o.Locale = s.Locale
	f := number.New(o)
	return format{parts: func(value string) ([]number.Part, error) {
		d, err := decimal(value)
		if err != nil {
			return nil, err
		}
		return f.Parts(d), nil
	}}, err
}

// decimal parses a number in the notation of JavaScript.
func decimal(value string) (number.Decimal, error) {
	switch value {
	case "NaN", "Infinity", "-Infinity":
		f, err := strconv.ParseFloat(value, 64)
		return number.FromFloat(f), err
	}
	return number.Parse(value)
}

func newCurrency(s settings, _ date.Zone) (format, error) {
	o, err := options[number.Options](s)
	return format{resolved: map[string]int{"digits": number.CurrencyDigits(o.Currency)}}, err
}

func newPlural(s settings, _ date.Zone) (format, error) {
	o, err := options[struct {
		number.Options
		Type string `json:"type"`
	}](s)
	o.Locale = s.Locale
	f := number.New(o.Options)
	return format{
		parts: func(value string) ([]number.Part, error) {
			d, err := decimal(value)
			return []number.Part{{Value: f.Select(o.Type, d)}}, err
		},
		resolved: map[string][]string{"pluralCategories": cldr.Categories(cldr.Of(s.Locale, cldr.Numbers), o.Type)},
	}, err
}

func newDate(s settings, zone date.Zone) (format, error) {
	o, err := options[date.Options](s)
	if err != nil {
		return format{}, err
	}
	o.Locale = s.Locale
	f, err := date.New(o, zone)
	if err != nil {
		return format{}, err
	}
	return format{
		parts: func(value string) ([]number.Part, error) {
			milliseconds, err := strconv.ParseInt(value, 10, 64)
			return f.Parts(milliseconds), err
		},
		text: func(value string) (string, error) {
			milliseconds, err := strconv.ParseInt(value, 10, 64)
			return f.Text(milliseconds), err
		},
		resolved: f.Resolved(),
	}, nil
}

// newZone returns a format of the name of the time zone, for Date.prototype.toString.
func newZone(s settings, zone date.Zone) (format, error) {
	f, err := date.New(date.Options{Locale: s.Locale}, zone)
	return format{text: func(value string) (string, error) {
		milliseconds, err := strconv.ParseInt(value, 10, 64)
		return f.ZoneName(milliseconds), err
	}}, err
}

func newCollator(s settings, _ date.Zone) (format, error) {
	o, err := options[Collation](s)
	return format{compare: NewCollator(s.Locale, o).Compare}, err
}

func newList(s settings, _ date.Zone) (format, error) {
	o, err := options[number.List](s)
	o.Prepare(s.Locale)
	return format{parts: func(value string) ([]number.Part, error) {
		var items []string
		err := json.Unmarshal([]byte(value), &items)
		return o.Parts(items), err
	}}, err
}

func newRelative(s settings, _ date.Zone) (format, error) {
	o, err := options[number.Relative](s)
	o.Prepare(s.Locale)
	return format{parts: func(value string) ([]number.Part, error) {
		var given struct{ Value, Unit string }
		if err := json.Unmarshal([]byte(value), &given); err != nil {
			return nil, err
		}
		return o.Parts(given.Value, given.Unit)
	}}, err
}

// cached are recently used formats, by their settings and time zone.
var cached = struct {
	sync.Mutex
	formats map[string]format
}{formats: map[string]format{}}

const mostCached = 256

func formatOf(text string, zone date.Zone) (format, error) {
	key := zone.Name + "\n" + text
	cached.Lock()
	f, known := cached.formats[key]
	cached.Unlock()
	if known {
		return f, nil
	}
	var s settings
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return f, err
	}
	if kinds[s.Kind] == nil {
		return f, fmt.Errorf("no format is called %q", s.Kind)
	}
	f, err := kinds[s.Kind](s, zone)
	if err != nil {
		return f, err
	}
	cached.Lock()
	defer cached.Unlock()
	if len(cached.formats) >= mostCached {
		clear(cached.formats)
	}
	cached.formats[key] = f
	return f, nil
}

// Zone returns the time zone of a run.
func Zone(name string, location *time.Location) date.Zone { return date.NewZone(name, location) }

// Resolve returns the resolved settings of an object of Intl as JSON, or an object with error
// if the settings are invalid.
func Resolve(settings string, zone date.Zone) string {
	f, err := formatOf(settings, zone)
	if err != nil {
		return asJSON(map[string]string{"error": err.Error()})
	}
	return asJSON(f.resolved)
}

func asJSON(value any) string {
	text, _ := json.Marshal(value) // never fails for texts and numbers
	return string(text)
}

// Format formats a value with the object of Intl that settings describe.
func Format(settings, value string, zone date.Zone) (string, error) {
	f, err := formatOf(settings, zone)
	if err != nil {
		return "", err
	}
	if f.text != nil {
		return f.text(value)
	}
	parts, err := f.parts(value)
	return number.Join(parts), err
}

// Parts formats a value like Format, and returns the parts of formatToParts as JSON.
func Parts(settings, value string, zone date.Zone) (string, error) {
	f, err := formatOf(settings, zone)
	if err != nil {
		return "", err
	}
	parts, err := f.parts(value)
	if parts == nil {
		parts = []number.Part{}
	}
	return asJSON(parts), err
}

// Compare compares two texts with a collator. It returns -1, 0 or 1, and 0 for invalid settings.
func Compare(settings, a, b string) int {
	f, err := formatOf(settings, date.UTC)
	if err != nil || f.compare == nil {
		return 0
	}
	return f.compare(a, b)
}

// ChangeCase converts a text to upper or lower case, by the rules of the language of.
func ChangeCase(text, of string, upper bool) string {
	tag := language.Make(of)
	if upper {
		return cases.Upper(tag).String(text)
	}
	return cases.Lower(tag).String(text)
}
