// Package number formats numbers like Intl.NumberFormat, lists like Intl.ListFormat, and
// relative times like Intl.RelativeTimeFormat.
package number

import (
	"strings"

	"github.com/toolscript/toolscript/runner/quickjs/intl/cldr"
)

// Options are the options of Intl.NumberFormat. Package prelude sets all defaults.
type Options struct {
	Locale                   string `json:"locale"`
	Style                    string `json:"style"`
	Currency                 string `json:"currency"`
	CurrencyDisplay          string `json:"currencyDisplay"`
	CurrencySign             string `json:"currencySign"`
	Unit                     string `json:"unit"`
	UnitDisplay              string `json:"unitDisplay"`
	Notation                 string `json:"notation"`
	CompactDisplay           string `json:"compactDisplay"`
	SignDisplay              string `json:"signDisplay"`
	UseGrouping              string `json:"useGrouping"` // "" for no grouping
	MinimumIntegerDigits     int    `json:"minimumIntegerDigits"`
	MinimumFractionDigits    int    `json:"minimumFractionDigits"`
	MaximumFractionDigits    int    `json:"maximumFractionDigits"`
	MinimumSignificantDigits int    `json:"minimumSignificantDigits"`
	MaximumSignificantDigits int    `json:"maximumSignificantDigits"`
	RoundingPriority         string `json:"roundingPriority"` // auto, morePrecision or lessPrecision
	RoundingIncrement        int    `json:"roundingIncrement"`
	RoundingMode             string `json:"roundingMode"`
	TrailingZeroDisplay      string `json:"trailingZeroDisplay"`
}

// Part is a part of a formatted text, as in formatToParts.
type Part struct {
	Type  string `json:"type"`
	Value string `json:"value"`
	Unit  string `json:"unit,omitempty"` // unit of a number in a relative time
}

// Join returns the text of parts.
func Join(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Value)
	}
	return b.String()
}

// Format formats numbers.
type Format struct {
	Options
	numbers cldr.Table
	pattern pattern
	outer   outer             // unit or name of a currency around the number
	symbols map[string]string // symbols by type of part
}

// New returns a format with the given options.
func New(o Options) *Format {
	o.bound()
	f := &Format{Options: o, numbers: cldr.Of(o.Locale, cldr.Numbers)}
	f.symbols = map[string]string{
		"decimal": f.symbol("decimal"), "group": f.symbol("group"), "minusSign": f.symbol("minusSign"), "plusSign": f.symbol("plusSign"),
		"percentSign": f.symbol("percentSign"), "currency": o.Currency,
	}
	text := f.numbers["decimal"]
	switch {
	case o.Style == "percent" && o.Notation == "compact":
		f.Unit, f.UnitDisplay = "percent", "short"
		f.outer = f.unit()
	case o.Style == "percent", f.isPercentSign():
		text = f.numbers["percent"]
	case o.Style == "currency":
		text = f.currency(text)
	case o.Style == "unit":
		f.outer = f.unit()
	}
	f.pattern = parsePattern(text)
	return f
}

// The limits of ECMA-402, which package prelude checks.
const (
	mostSignificant = 21
	mostFraction    = 100
)

func (o *Options) bound() {
	o.MinimumIntegerDigits = min(max(o.MinimumIntegerDigits, 1), mostSignificant)
	for _, n := range []*int{&o.MinimumSignificantDigits, &o.MaximumSignificantDigits} {
		*n = min(max(*n, 0), mostSignificant)
	}
	for _, n := range []*int{&o.MinimumFractionDigits, &o.MaximumFractionDigits} {
		*n = min(max(*n, 0), mostFraction)
	}
	o.RoundingIncrement = max(o.RoundingIncrement, 1)
}

// isPercentSign reports whether the unit is written as a percent sign, as in ICU.
func (f *Format) isPercentSign() bool {
	unit, _, _ := strings.Cut(f.Unit, "-per-")
	return f.Style == "unit" && unit == "percent" && f.UnitDisplay != "long" && f.Notation != "compact"
}

func (f *Format) symbol(name string) string { return f.numbers["symbol:"+name] }

// currency sets the symbols or the name of the currency, and returns the pattern.
func (f *Format) currency(decimal string) string {
	for _, name := range []string{"decimal", "group"} {
		if own := f.symbol("currency" + strings.ToUpper(name[:1]) + name[1:]); own != "" {
			f.symbols[name] = own
		}
	}
	names := cldr.Of(f.Locale, cldr.Currencies)
	switch f.CurrencyDisplay {
	case "name":
		f.outer = f.currencyName(names)
		return decimal
	case "code":
	case "narrowSymbol":
		if symbol := names.At(f.Currency, "narrow"); symbol != "" {
			f.symbols["currency"] = symbol
			break
		}
		fallthrough
	default:
		if symbol := names.At(f.Currency, "symbol"); symbol != "" {
			f.symbols["currency"] = symbol
		}
	}
	return f.numbers.At("currency", f.CurrencySign)
}

// Parts formats a number.
func (f *Format) Parts(d Decimal) []Part {
	if f.Style == "percent" {
		d = d.scaled(2)
	}
	exponent, compact := f.exponent(d)
	r := f.digits(d.scaled(-exponent))
	p := f.pattern
	if compact != nil {
		operands := cldr.Operands{Integer: r.whole(), Fraction: padded(r.fraction(), r.least)}
		p = compact(f.plural(r, operands), operands)
	}
	var b builder
	f.affixed(&b, p, r, exponent)
	return joined(f.outer.around(b.parts, f.plural(r, r.operands(exponent))))
}

// operands returns the plural operands of r times ten to the power of exponent.
func (r rounded) operands(exponent int) cldr.Operands {
	full := r.scaled(exponent)
	return cldr.Operands{Integer: full.whole(), Fraction: padded(full.fraction(), r.least-exponent), Exponent: exponent}
}

// plural returns the plural category of a rounded number.
func (f *Format) plural(r rounded, o cldr.Operands) string {
	if r.nan || r.infinite {
		return "other"
	}
	return cldr.Plural(f.numbers, "cardinal", o)
}

// Select returns the plural category of a number for a kind: cardinal or ordinal.
func (f *Format) Select(kind string, d Decimal) string {
	r := f.digits(d)
	if r.nan || r.infinite {
		return "other"
	}
	return cldr.Plural(f.numbers, kind, cldr.Operands{Integer: r.whole(), Fraction: padded(r.fraction(), r.least)})
}

func padded(digits string, least int) string {
	if missing := least - len(digits); missing > 0 {
		return digits + strings.Repeat("0", missing)
	}
	return digits
}

// affixed adds the number with the affixes of its pattern and its sign.
func (f *Format) affixed(b *builder, p pattern, r rounded, exponent int) {
	prefix, suffix := p.affixes(f.sign(r.Decimal))
	f.affix(b, prefix, p.compact)
	from := len(b.parts)
	if !p.noNumber {
		f.number(b, r, exponent)
	}
	to := len(b.parts)
	f.affix(b, suffix, p.compact)
	f.space(b, from, to)
}

// sign returns the sign to show: '-', '+' or 0 for none.
func (f *Format) sign(d Decimal) byte {
	negative := d.negative && !d.nan
	zero := d.isZero() || d.nan
	switch f.SignDisplay {
	case "never":
		return 0
	case "always":
		if !negative {
			return '+'
		}
	case "exceptZero":
		if zero {
			return 0
		}
		if !negative {
			return '+'
		}
	case "negative":
		if zero {
			return 0
		}
	}
	if negative {
		return '-'
	}
	return 0
}

// number adds the digits of a number and its exponent.
func (f *Format) number(b *builder, r rounded, exponent int) {
	switch {
	case r.nan:
		b.add("nan", f.symbol("nan"))
		return
	case r.infinite:
		b.add("infinity", f.symbol("infinity"))
		return
	}
	f.integer(b, r.whole())
	if fraction := padded(r.fraction(), r.least); fraction != "" {
		b.add("decimal", f.symbols["decimal"])
		b.add("fraction", fraction)
	}
	if f.Notation == "scientific" || f.Notation == "engineering" {
		b.add("exponentSeparator", f.symbol("exponential"))
		if exponent < 0 {
			b.add("exponentMinusSign", f.symbol("minusSign"))
			exponent = -exponent
		}
		b.add("exponentInteger", FromFloat(float64(exponent)).wholeOr0())
	}
}

func (d Decimal) wholeOr0() string {
	if whole := d.whole(); whole != "" {
		return whole
	}
	return "0"
}

// integer adds the digits before the point, in groups.
func (f *Format) integer(b *builder, digits string) {
	if missing := f.MinimumIntegerDigits - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	var least int
	switch f.UseGrouping {
	case "always":
		least = 1
	case "min2":
		least = max(2, f.minimumGrouping())
	case "auto":
		least = f.minimumGrouping()
		if f.Notation == "compact" { // as ICU does
			least = max(2, least)
		}
	}
	first, other := f.pattern.primary, f.pattern.secondary
	if least == 0 || first == 0 || len(digits) < first+least {
		b.add("integer", digits)
		return
	}
	end := len(digits) - first
	groups := []string{digits[end:]}
	for ; end > other; end -= other {
		groups = append(groups, digits[end-other:end])
	}
	groups = append(groups, digits[:end])
	for i := len(groups) - 1; i >= 0; i-- {
		b.add("integer", groups[i])
		if i > 0 {
			b.add("group", f.symbols["group"])
		}
	}
}

func (f *Format) minimumGrouping() int {
	if f.numbers["minimumGrouping"] == "2" {
		return 2
	}
	return 1
}
