package number

import (
	"strconv"
	"strings"

	"github.com/toolscript/toolscript/runner/quickjs/intl/cldr"
)

// exponent returns the power of ten that the notation splits off. If a compact number has a
// word for it, compact returns the pattern; otherwise compact is nil.
func (f *Format) exponent(d Decimal) (exponent int, compact func(plural string, o cldr.Operands) pattern) {
	if f.Notation == "standard" || f.Notation == "" || d.nan || d.infinite {
		return 0, nil
	}
	magnitude := 0
	if !d.isZero() {
		magnitude = d.magnitude()
	}
	exponent = f.exponentAt(magnitude)
	if r := f.digits(d.scaled(-exponent)); !r.isZero() && r.magnitude() != magnitude-exponent {
		magnitude++
		exponent = f.exponentAt(magnitude)
	}
	if f.Notation != "compact" {
		return exponent, nil
	}
	size, forms := f.compactForms(magnitude)
	if size == "" {
		return exponent, nil
	}
	return exponent, func(plural string, o cldr.Operands) pattern { return f.compactPattern(forms(plural, o)) }
}

func (f *Format) exponentAt(magnitude int) int {
	switch f.Notation {
	case "scientific":
		return magnitude
	case "engineering":
		return floorDiv(magnitude, 3) * 3
	}
	size, forms := f.compactForms(magnitude)
	if size == "" {
		return 0
	}
	return len(size) - parsePattern(forms("other", cldr.Operands{})).zeros
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// largestSize is the largest power of ten with a word in CLDR, and commonSize the largest
// with a word in all languages.
const (
	largestSize = 20
	commonSize  = 14
)

// compactForms returns the word for large numbers of a magnitude, such as "thousand": its power of
// ten, as digits, and its patterns by plural category. size is "" if the language writes such
// numbers in full.
func (f *Format) compactForms(magnitude int) (size string, forms func(plural string, o cldr.Operands) string) {
	if magnitude < 3 {
		return "", nil
	}
	kind := f.CompactDisplay
	if f.Style == "currency" && f.CurrencyDisplay != "name" {
		kind = "currency" // currencies only have a short form
	}
	var other string
	for power := min(magnitude, largestSize); other == "" && (power == min(magnitude, largestSize) || power >= commonSize); power-- {
		size = "1" + strings.Repeat("0", power)
		other = f.numbers.At("compact", kind, size, "other")
	}
	if other == "" || other == "0" {
		return "", nil
	}
	return size, func(plural string, o cldr.Operands) string {
		if o.Integer == "1" && o.Fraction == "" {
			if exact := f.numbers.At("compact", kind, size, "1"); exact != "" {
				return exact
			}
		}
		if text := f.numbers.At("compact", kind, size, plural); text != "" {
			return text
		}
		return other
	}
}

// compactPattern parses the pattern of a compact number.
func (f *Format) compactPattern(text string) pattern {
	p := parsePattern(text)
	p.compact = true
	return p
}

// outer is a unit or the name of a currency around a number.
type outer struct {
	kind  string            // type of part
	forms map[string]string // patterns with {0}, by plural category
}

func (o outer) around(parts []Part, plural string) []Part {
	if o.forms == nil {
		return parts
	}
	form := o.forms[plural]
	if form == "" {
		form = o.forms["other"]
	}
	before, after, _ := strings.Cut(form, "{0}")
	var b builder
	b.worded(o.kind, before)
	b.parts = append(b.parts, parts...)
	b.worded(o.kind, after)
	return b.parts
}

// currencyName returns the patterns with the name of the currency.
func (f *Format) currencyName(names cldr.Table) outer {
	o := outer{"currency", map[string]string{}}
	for _, plural := range cldr.Categories(f.numbers, "cardinal") {
		name := names.At(f.Currency, plural)
		if name == "" {
			name = names.At(f.Currency, "other")
		}
		if name == "" {
			name = names.At(f.Currency)
		}
		if name == "" {
			name = f.Currency
		}
		form := f.numbers.At("currency", "name", plural)
		if form == "" {
			form = f.numbers.At("currency", "name", "other")
		}
		o.forms[plural] = strings.Replace(form, "{1}", name, 1)
	}
	return o
}

// unit returns the patterns with the unit.
func (f *Format) unit() outer {
	units := cldr.Of(f.Locale, cldr.Units)
	o := outer{"unit", map[string]string{}}
	first, per, compound := strings.Cut(f.Unit, "-per-")
	whole := units.At(f.UnitDisplay, f.Unit, "other") != ""
	for _, plural := range cldr.Categories(f.numbers, "cardinal") {
		form := func(unit, plural string) string {
			if text := units.At(f.UnitDisplay, unit, plural); text != "" {
				return text
			}
			return units.At(f.UnitDisplay, unit, "other")
		}
		switch pattern := units.At(f.UnitDisplay, per, "per"); {
		case whole || !compound:
			o.forms[plural] = form(f.Unit, plural)
		case pattern != "":
			o.forms[plural] = strings.Replace(pattern, "{0}", form(first, plural), 1)
		default:
			under := strings.TrimFunc(strings.Replace(form(per, "one"), "{0}", "", 1), blank)
			text := strings.Replace(units.At(f.UnitDisplay, "per"), "{1}", under, 1)
			o.forms[plural] = strings.Replace(text, "{0}", form(first, plural), 1)
		}
	}
	return o
}

// CurrencyDigits returns the number of fraction digits of a currency.
func CurrencyDigits(code string) int {
	if digits, err := strconv.Atoi(cldr.Digits()[code]); err == nil {
		return digits
	}
	return 2
}
